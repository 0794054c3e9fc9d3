/// The last edits of a list, so that a client's picture can be brought up to date without the whole list.
struct ListLog<Row> {
    /// Edits kept for clients that come back; those that need older ones get the list itself.
    static var capacity: Int { 1024 }

    struct Entry {
        let step: Int
        let edit: ListEdit<Row>
        /// The row that was removed or replaced.
        let former: Row?
    }

    private var entries: [Entry] = []
    /// What happened up to this step is not known any more.
    private var forgottenThrough = 0

    mutating func record(_ edit: ListEdit<Row>, former: Row? = nil, step: Int) {
        if entries.count >= 2 * Self.capacity {
            let dropped = entries.count - Self.capacity
            forgottenThrough = entries[dropped - 1].step
            entries.removeFirst(dropped)
        }
        entries.append(Entry(step: step, edit: edit, former: former))
    }

    /// Forgets all, because the list was changed as a whole.
    mutating func reset(step: Int) {
        entries = []
        forgottenThrough = step
    }

    /// The edits after `step`, oldest first; nil when they are not known.
    func entries(since step: Int) -> ArraySlice<Entry>? {
        guard step >= forgottenThrough else { return nil }
        var first = entries.count
        while first > 0, entries[first - 1].step > step {
            first -= 1
        }
        return entries[first...]
    }

    /// What the list was before the edits of `entries`, which led to `rows`.
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
