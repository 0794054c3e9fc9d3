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

/// The results that all outputs, bindings and windows of a list share in one step.
///
/// The list creates the object when a step first needs a result, and drops it at the end of the step.
final class ListStepResults<Row> {
    /// The results about the last edits of the list.
    struct Changes {
        /// The rows before the edits.
        var formerRows: [Row]?
        var edits: [ListEdit<Row>]?
        /// The edits with the rows' JSON texts.
        var encodedEdits: [ListEdit<[UInt8]>]?
    }

    /// The largest number of clients' positions for which results are kept.
    private static var positionLimit: Int { 8 }

    /// The version of the list that the results describe.
    let version: Int
    /// The JSON texts of rows, by index.
    var rowTexts: [Int: [UInt8]] = [:]
    /// The JSON text of the list.
    var text: [UInt8]?
    /// The places of the rows' texts in `text`, each followed by one separator; nil if they are not known.
    private var rowStarts: [Int]?
    private var changes: [Int: Changes] = [:]

    init(version: Int) {
        self.version = version
    }

    /// Returns the JSON text of a row if it is known.
    func text(ofRowAt index: Int) -> [UInt8]? {
        if let known = rowTexts[index] { return known }
        guard let text, let rowStarts else { return nil }
        return Array(text[rowStarts[index]..<rowStarts[index + 1] - 1])
    }

    /// Keeps the JSON text of the list with the places of its rows.
    func setText(_ text: [UInt8], rowStarts: [Int]) {
        self.text = text
        self.rowStarts = rowStarts
    }

    /// The results about the last `count` logged edits.
    ///
    /// Clients that lack the same edits share them, whatever step they have seen last.
    subscript(last count: Int) -> Changes {
        get { changes[count] ?? Changes() }
        set {
            if changes.count >= Self.positionLimit, changes[count] == nil { changes.removeAll() }
            changes[count] = newValue
        }
    }
}
