/// A writable list that records its edits.
///
/// Clients get the edits, at a cost that does not depend on the list's length.
///
/// Use it for lists that are long or that change a little at a time. A short list can be derived from other values
/// instead, and ``ListOutput`` computes the difference. Rows have unique ids. Isolation: confined to its session.
public final class ListCell<Row: Identifiable & Equatable>: Signal<[Row]> {
    private(set) var rows: [Row]
    private(set) var history = ListHistory<Row>()
    /// The table of the rows' ids, from the first look-up until too many rows have changed their indices.
    private var rowIndex: RowIndex<Row>?
    /// The windows of clients; nil until a client binds the list or code reads its windows.
    private var boundWindows: BoundWindows?
    /// The last version in which an edit has shown that two rows have one id.
    private(set) var repeatedIDVersion = 0

    /// Creates a list.
    public init(_ rows: [Row] = []) {
        self.rows = rows
        super.init(graph: .current)
    }

    /// Creates a list that is saved and restored after the session or the daemon has ended.
    ///
    /// - Parameters:
    ///   - initial: the rows if none were saved, or if the saved ones do not decode any more. Those are put aside.
    ///   - name: the name under which the list is saved. It is unique as the name of a ``Cell`` is.
    ///   - former: the names under which the list was saved before.
    ///   - persistence: whether the list belongs to the named session, to the user, or to the daemon.
    public convenience init(
        _ initial: [Row] = [],
        restoring name: String,
        formerly former: [String] = [],
        in persistence: Persistence = .session
    ) where Row: Codable {
        let kept = Graph.current.restorable.kept(name, formerly: former, in: persistence, as: [Row].self)
        self.init(kept.value ?? initial)
        graph.restorable.add(self, kept, else: initial) { [unowned self] in replaceAll(with: $0) }
    }

    /// Lets the list have the rows that are saved under a key below its name, as ``Cell/keep(for:)``.
    public func keep(for key: some CustomStringConvertible) where Row: Codable {
        graph.restorable.select(key.description, of: self) { replaceAll(with: $0) }
    }

    /// The rows.
    ///
    /// A read copies nothing. If the array is kept while the list is edited, the next edit copies it.
    public override var value: [Row] {
        graph.evaluating?.track(self)
        return rows
    }

    /// The number of rows.
    public var count: Int {
        graph.evaluating?.track(self)
        return rows.count
    }

    /// The row at an index.
    ///
    /// Assigning a row replaces the one at the index.
    public subscript(index: Int) -> Row {
        get {
            graph.evaluating?.track(self)
            return rows[index]
        }
        set { replace(newValue, at: index) }
    }

    /// Returns the index of the row with this id, or nil.
    ///
    /// The first look-up builds a table in O(n). Later look-ups are O(1) while rows are only appended and replaced.
    /// After other edits a look-up compares at most 513 rows. More than 256 of these edits, or an edit of many rows at
    /// once, drop the table.
    public func index(of id: Row.ID) -> Int? {
        graph.evaluating?.track(self)
        if rowIndex == nil { rowIndex = RowIndex(of: rows) }
        return rowIndex?.find(id, in: rows)
    }

    /// The ranges of rows that clients have bound in windows, `0..<count` for a binding of the whole list.
    ///
    /// The range of a window may go up to 1,000 rows beyond the present ones, so an action that runs after a change of the
    /// windows can load the rows of a remote service page by page. The value changes before the client gets the reply to its
    /// binding.
    public var windows: [Range<Int>] {
        let windows = boundWindows ?? BoundWindows()
        boundWindows = windows
        let count = count
        return windows.value(on: graph).map { range in
            range == BoundWindows.wholeList ? 0..<count : range.clamped(to: 0..<count + 1000)
        }
    }

    /// Records the rows that a client shows in an output; nil for none.
    func setWindow(_ range: Range<Int>?, for key: BoundWindows.Key) {
        if range == nil, boundWindows == nil { return }
        let windows = boundWindows ?? BoundWindows()
        windows.set(range, for: key)
        boundWindows = windows.isNeeded ? windows : nil
    }

    /// Appends a row.
    public func append(_ row: Row) {
        guard mayEdit() else { return }
        rows.append(row)
        recordNewID(at: rows.count - 1)
        record(.insert(row, at: rows.count - 1))
    }

    /// Appends rows.
    ///
    /// More than 1,024 rows are not recorded one by one, and clients get the whole list.
    public func append(contentsOf new: some Collection<Row>) {
        guard mayEdit() else { return }
        guard new.count <= ListHistory<Row>.capacity else {
            rows.append(contentsOf: new)
            rowIndex = nil
            history.reset(step: graph.pendingSequence)
            return changed()
        }
        for row in new {
            append(row)
        }
    }

    /// Inserts a row before the one at `index`.
    public func insert(_ row: Row, at index: Int) {
        guard mayEdit() else { return }
        rows.insert(row, at: index)
        rowIndex = rowIndex.take()?.shifted()
        recordNewID(at: index)
        record(.insert(row, at: index))
    }

    /// Removes the row at `index`.
    @discardableResult
    public func remove(at index: Int) -> Row {
        guard mayEdit() else { return rows[index] }
        let row = rows.remove(at: index)
        rowIndex = rowIndex.take()?.shifted()
        rowIndex?.remove(row.id)
        record(.remove(at: index), former: row)
        return row
    }

    /// Removes the rows with these ids.
    ///
    /// Unknown ids are ignored.
    public func removeAll(ids: some Sequence<Row.ID>) {
        removeAll(at: Set(ids.compactMap { index(of: $0) }).sorted())
    }

    /// Removes the rows that satisfy `isRemoved`, in O(n).
    public func removeAll(where isRemoved: (Row) -> Bool) {
        removeAll(at: rows.indices.filter { isRemoved(rows[$0]) })
    }

    /// Removes the rows at ascending indices.
    private func removeAll(at indices: [Int]) {
        guard mayEdit() else { return }
        guard indices.count > Self.fewRows else {
            for index in indices.reversed() { remove(at: index) }
            return
        }
        if indices.count <= ListHistory<Row>.capacity {
            for index in indices.reversed() {
                history.record(.remove(at: index), former: rows[index], step: graph.pendingSequence)
            }
        } else {
            history.reset(step: graph.pendingSequence)
        }
        rows.removeSubranges(RangeSet(indices, within: rows))
        rowIndex = nil
        changed()
    }

    /// Replaces the row at `index`, unless the new row is equal.
    public func replace(_ row: Row, at index: Int) {
        guard mayEdit() else { return }
        guard !areExactlyEqual(rows[index], row) else { return }
        let former = rows[index]
        rows[index] = row
        if !areExactlyEqual(former.id, row.id) {
            rowIndex?.remove(former.id)
            recordNewID(at: index)
        }
        record(.replace(row, at: index), former: former)
    }

    /// Moves the row at `source` to `target`, an index in the list without that row (like `move` in RFC 6902).
    ///
    /// The cost is proportional to the distance.
    public func move(from source: Int, to target: Int) {
        guard mayEdit() else { return }
        guard source != target else { return }
        let row = rows[source]
        let direction = source < target ? 1 : -1
        for index in stride(from: source, to: target, by: direction) { rows[index] = rows[index + direction] }
        rows[target] = row
        let moved = Swift.min(source, target)...Swift.max(source, target)
        if moved.count <= RowIndex<Row>.shiftLimit {
            rowIndex?.record(moved, of: rows)
        } else {
            rowIndex = rowIndex.take()?.shifted()
            rowIndex?.record(target...target, of: rows)
        }
        record(.move(from: source, to: target))
    }

    /// Replaces all rows.
    ///
    /// Clients get the difference if it is smaller than the list.
    public func replaceAll(with new: [Row]) {
        guard graph.mayWrite(self) else { return }
        replaceRowsUnchecked(with: new)
    }

    /// Replaces all rows without the check that the caller may write, for the private copy of an output.
    ///
    /// The rows have changed in `step`, or in the running one.
    func replaceRowsUnchecked(with new: [Row], at step: Int? = nil) {
        var middle = ListDifference.middle(from: rows, to: new, isEqual: areExactlyEqual)
        guard !middle.isEmpty else { return }
        let step = step ?? graph.pendingSequence
        var former = rows
        if let replacement = history.replacement, replacement.step == step {
            // Two replacements in one step are one.
            former = replacement.former
            middle = ListDifference.middle(from: former, to: new, isEqual: areExactlyEqual)
            history.replacement = nil
        } else {
            logReplacement()
        }
        rows = new
        rowIndex = nil
        changed()
        guard !middle.isEmpty else { return }
        history.replacement = ListHistory.Replacement(former: former, middle: middle, step: step)
        if middle.count <= Self.comparedAtOnce || !graph.isStepping {
            logReplacement()
        } else {
            // The object asks for the call at the end of the step.
            _ = stepResults
        }
    }

    /// Computes the difference of a replacement and logs its edits.
    ///
    /// Without a difference, or with more edits than the log holds, the log is dropped.
    func logReplacement() {
        guard let replacement = history.replacement.take() else { return }
        let (former, step) = (replacement.former, replacement.step)
        let isFirstEdit = history.entries(since: step - 1)?.isEmpty ?? false
        let changes = ListDifference.changes(
            from: former,
            to: rows,
            replacement.middle,
            id: { ExactID(id: $0.id) },
            isEqual: areExactlyEqual
        )
        if changes == nil { repeatedIDVersion = version }
        guard let changes, changes.count <= ListHistory<Row>.capacity else { return history.reset(step: step) }
        for change in changes { history.record(change.edit, former: change.former, step: step) }
        if isFirstEdit, let results = stepResults {
            results.formerRows[last: changes.count] = former
            results.edits[last: changes.count] = changes.map(\.edit)
        }
    }

    /// Whether the last change replaced so many rows that its difference is computed only if somebody needs it.
    var isReplaced: Bool { history.replacement != nil }

    /// The largest number of rows in the changed part of a list whose difference is computed at once.
    private static var comparedAtOnce: Int { ListHistory<Row>.capacity }

    /// Checks that the caller may write, and completes the log.
    ///
    /// - Returns: false after a mistake, which ends the session.
    private func mayEdit() -> Bool {
        guard graph.mayWrite(self) else { return false }
        if isReplaced { logReplacement() }
        return true
    }

    /// Sets the first rows of an output's private copy, or of a list whose restored rows are not valid.
    ///
    /// No client knows earlier ones.
    func setInitialRows(_ new: [Row]) {
        rows = new
        version += 1
        history.reset(step: graph.sequence)
    }

    /// The results that are shared in the running step; nil outside of a step.
    var stepResults: ListStepResults<Row>? {
        if let results = history.results, results.version == version { return results }
        guard graph.isStepping else { return nil }
        if history.results == nil { graph.afterCommit { self.history.endStep() } }
        let new = ListStepResults<Row>(version: version)
        history.results = new
        return new
    }

    /// Largest number of rows that are removed one by one.
    private static var fewRows: Int { 4 }

    /// Updates the table for a row with a new id, and notices another row with that id.
    ///
    /// Without a table only a debug build looks for one, because the cost of an edit must not depend on the length.
    private func recordNewID(at index: Int) {
        let isRepeated = rowIndex?.record(index, of: rows) ?? repeatsID(at: index)
        if isRepeated { repeatedIDVersion = version + 1 }
    }

    private func repeatsID(at index: Int) -> Bool {
        #if DEBUG
            return rows.count <= 1000
                && rows.indices.contains { $0 != index && areExactlyEqual(rows[$0].id, rows[index].id) }
        #else
            return false
        #endif
    }

    private func record(_ edit: ListEdit<Row>, former: Row? = nil) {
        history.record(edit, former: former, step: graph.pendingSequence)
        changed()
    }
}
