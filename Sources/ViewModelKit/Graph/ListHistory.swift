/// The last edits of a list, with which a client's picture is updated without the whole list.
///
/// The log has single edits. A replacement of many rows is not in the log until its difference is needed. What the
/// clients of the list need in one step is kept until its end.
struct ListHistory<Row> {
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

    /// A replacement of many rows that is not in the log yet.
    ///
    /// A class, because each list has room for one and few have one.
    final class Replacement {
        let former: [Row]
        let middle: ListDifference.Middle
        let step: Int

        init(former: [Row], middle: ListDifference.Middle, step: Int) {
            self.former = former
            self.middle = middle
            self.step = step
        }
    }

    private var entries: [Entry] = []
    /// The last step whose edits are not known any more.
    private var lastUnknownStep = 0
    /// A replacement whose difference no client has needed yet, or nil.
    ///
    /// It is kept until the end of its step.
    var replacement: Replacement?
    /// The results of the running step, or nil.
    var results: ListStepResults<Row>?

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

    /// Drops what was kept for the running step.
    mutating func endStep() {
        results = nil
        if let replacement = replacement.take() { reset(step: replacement.step) }
    }

    /// Returns the edits after `step`, the oldest first, or nil if they are not known any more.
    func entries(since step: Int) -> ArraySlice<Entry>? {
        guard step >= lastUnknownStep else { return nil }
        var first = entries.count
        while first > 0, entries[first - 1].step > step {
            first -= 1
        }
        // `first...` would be evaluated by a generic function, which costs more than the search.
        return entries[first..<entries.count]
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
    /// The version of the list that the results describe.
    let version: Int
    /// The rows before the last edits.
    var formerRows = ResultsByPosition<[Row]>()
    /// The difference that the last edits make.
    var edits = ResultsByPosition<[ListEdit<Row>]>()
    /// The texts of the rows as they are.
    private var plainTexts = ListTexts()
    /// The texts of other forms of the rows, by the object that shows them.
    private var shownTexts: [ObjectIdentifier: ListTexts] = [:]

    init(version: Int) {
        self.version = version
    }

    /// The texts of the rows in a form, or of the rows as they are.
    subscript(form: ObjectIdentifier?) -> ListTexts {
        _read {
            if let form { yield shownTexts[form] ?? ListTexts() } else { yield plainTexts }
        }
        _modify {
            if let form { yield &shownTexts[form, default: ListTexts()] } else { yield &plainTexts }
        }
    }
}

/// The JSON texts of a list and of its rows in one form.
struct ListTexts {
    /// The texts of rows, by index.
    var rows: [Int: [UInt8]] = [:]
    /// The text of the list.
    var list: [UInt8]?
    /// The places of the rows' texts in `list`, each followed by one separator; nil if they are not known.
    var rowStarts: [Int]?
    /// The last edits with the rows' texts.
    var edits = ResultsByPosition<[ListEdit<[UInt8]>]>()

    /// Returns the text of a row if it is known.
    func text(ofRowAt index: Int) -> [UInt8]? {
        if let known = rows[index] { return known }
        guard let list, let rowStarts else { return nil }
        return Array(list[rowStarts[index]..<rowStarts[index + 1] - 1])
    }
}

/// Results about the last edits of a list, for a few clients' positions.
///
/// Clients that lack the same edits share them, whatever step they have seen last.
struct ResultsByPosition<Result> {
    /// The largest number of positions for which results are kept.
    private static var limit: Int { 8 }

    private var results: [Int: Result] = [:]

    /// The result about the last `count` edits.
    subscript(last count: Int) -> Result? {
        get { results[count] }
        set {
            if results.count >= Self.limit, results[count] == nil { results.removeAll() }
            results[count] = newValue
        }
    }
}
