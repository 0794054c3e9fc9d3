/// The last edits of a list, with which a client's picture is updated without the whole list.
struct ListLog<Row> {
    /// The number of newest edits that are always kept.
    ///
    /// The log drops the others when it has twice as many. A client that needs a dropped edit gets the whole list.
    static var capacity: Int { 1024 }

    struct Entry {
        let step: Int
        let edit: ListEdit<Row>
        /// The row that was removed or replaced.
        let former: Row?
    }

    private var entries: [Entry] = []
    /// The last step whose edits are not known any more.
    private var lastUnknownStep = 0

    mutating func record(_ edit: ListEdit<Row>, former: Row? = nil, step: Int) {
        if entries.count >= 2 * Self.capacity {
            let dropped = entries.count - Self.capacity
            lastUnknownStep = entries[dropped - 1].step
            entries.removeFirst(dropped)
        }
        entries.append(Entry(step: step, edit: edit, former: former))
    }

    /// Drops all edits because the list was replaced as a whole.
    mutating func reset(step: Int) {
        entries = []
        lastUnknownStep = step
    }

    /// Returns the edits after `step`, the oldest first, or nil if they are not known any more.
    func entries(since step: Int) -> ArraySlice<Entry>? {
        guard step >= lastUnknownStep else { return nil }
        var first = entries.count
        while first > 0, entries[first - 1].step > step {
            first -= 1
        }
        return entries[first...]
    }

    /// Returns the list before the edits of `entries`, which led to `rows`.
    static func undoing(_ entries: ArraySlice<Entry>, in rows: [Row]) -> [Row] {
        var rows = rows
        for entry in entries.reversed() {
            switch (entry.edit, entry.former) {
            case (.insert(_, let index), _): rows.remove(at: index)
            case (.remove(let index), let former?): rows.insert(former, at: index)
            case (.replace(_, let index), let former?): rows[index] = former
            case (.move(let from, let to), _): rows.insert(rows.remove(at: to), at: from)
            case (.remove, nil), (.replace, nil): fatalError("an edit was logged without its former row")
            }
        }
        return rows
    }
}
