/// A writable list that records its edits.
///
/// Clients get the edits, at a cost that does not depend on the list's length.
///
/// Use it for lists that are long or that change a little at a time. A short list can be derived from other values
/// instead, and ``ListOutput`` computes the difference. Rows have unique ids. Isolation: confined to its session.
public final class ListCell<Row: Identifiable & Equatable>: Signal<[Row]> {
    private var rows: [Row]
    private(set) var log = ListLog<Row>()
    private var rowIndex = RowIndex<Row>()
    /// The results of the running step, or nil.
    private var results: ListStepResults<Row>?
    /// A replacement of many rows that is not in the log yet, or nil.
    ///
    /// Its difference is computed if somebody needs it before the end of the step.
    private var replacement: Replacement?

    /// A class, because each list has room for one and few have one.
    private final class Replacement {
        let former: [Row]
        let middle: ListDifference.Middle
        let step: Int

        init(former: [Row], middle: ListDifference.Middle, step: Int) {
            self.former = former
            self.middle = middle
            self.step = step
        }
    }

    /// Creates a list.
    public init(_ rows: [Row] = []) {
        self.rows = rows
        super.init(graph: .current)
    }

    /// Creates a list that is saved and restored after the session or the daemon has ended.
    ///
    /// - Parameters:
    ///   - initial: the rows if none were saved, or if the saved ones do not decode any more.
    ///   - name: the name under which the list is saved. It is unique as the name of a ``Cell`` is.
    ///   - persistence: whether the list belongs to the named session, to the user, or to the daemon.
    public convenience init(
        _ initial: [Row] = [],
        restoring name: String,
        in persistence: Persistence = .session
    ) where Row: Codable {
        let graph = Graph.current
        guard let key = graph.lastingKey(name, in: persistence) else {
            self.init(initial, restoring: name) { _ in true }
            return
        }
        let kept = graph.lasting.kept(key, as: [Row].self)
        self.init(kept.value ?? initial)
        graph.lasting.add(
            self,
            key,
            revision: kept.revision,
            encode: { [weak self, unowned graph] in try self.map { try graph.host.encode($0.rows) } },
            decode: { [weak self, unowned graph] in self?.replaceAll(with: try graph.host.decode([Row].self, from: $0))
            }
        )
    }

    /// Creates a restorable list that accepts saved rows only if they satisfy `isValid`.
    convenience init(_ initial: [Row], restoring name: String, ifValid isValid: ([Row]) -> Bool) where Row: Codable {
        let graph = Graph.current
        let saved = graph.savedState?.saved(name, as: [Row].self, host: graph.host, ifValid: isValid)
        self.init(saved ?? initial)
        graph.savedState?.add(self, name: name) { [unowned self] in try graph.host.encode(rows) }
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
    public subscript(index: Int) -> Row {
        graph.evaluating?.track(self)
        return rows[index]
    }

    /// Returns the index of the row with this id, or nil.
    ///
    /// The first look-up builds a table in O(n). Later look-ups are O(1) while rows are only appended and replaced.
    /// After other edits a look-up compares at most 513 rows. More than 256 of these edits, or an edit of many rows at
    /// once, drop the table.
    public func index(of id: Row.ID) -> Int? {
        graph.evaluating?.track(self)
        if !rowIndex.isBuilt { rowIndex.build(from: rows) }
        return rowIndex.find(id, in: rows)
    }

    /// Appends a row.
    public func append(_ row: Row) {
        guard mayEdit() else { return }
        rows.append(row)
        rowIndex.record(rows.count - 1...rows.count - 1, of: rows)
        record(.insert(row, at: rows.count - 1))
    }

    /// Appends rows.
    ///
    /// More than 1,024 rows are not recorded one by one, and clients get the whole list.
    public func append(contentsOf new: some Collection<Row>) {
        guard mayEdit() else { return }
        guard new.count <= ListLog<Row>.capacity else {
            rows.append(contentsOf: new)
            rowIndex.drop()
            log.reset(step: graph.pendingSequence)
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
        rowIndex.recordShift()
        rowIndex.record(index...index, of: rows)
        record(.insert(row, at: index))
    }

    /// Removes the row at `index`.
    @discardableResult
    public func remove(at index: Int) -> Row {
        guard mayEdit() else { return rows[index] }
        let row = rows.remove(at: index)
        rowIndex.recordShift()
        rowIndex.remove(row.id)
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
        var left: [Row] = []
        left.reserveCapacity(rows.count - indices.count)
        var start = 0
        for index in indices {
            left.append(contentsOf: rows[start..<index])
            start = index + 1
        }
        left.append(contentsOf: rows[start...])
        if indices.count <= ListLog<Row>.capacity {
            for index in indices.reversed() {
                log.record(.remove(at: index), former: rows[index], step: graph.pendingSequence)
            }
        } else {
            log.reset(step: graph.pendingSequence)
        }
        rows = left
        rowIndex.drop()
        changed()
    }

    /// Replaces the row at `index`, unless the new row is equal.
    public func replace(_ row: Row, at index: Int) {
        guard mayEdit() else { return }
        guard rows[index] != row else { return }
        let former = rows[index]
        rows[index] = row
        if former.id != row.id {
            rowIndex.remove(former.id)
            rowIndex.record(index...index, of: rows)
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
            rowIndex.record(moved, of: rows)
        } else {
            rowIndex.recordShift()
            rowIndex.record(target...target, of: rows)
        }
        record(.move(from: source, to: target))
    }

    /// Replaces all rows.
    ///
    /// Clients get the difference if it is smaller than the list.
    public func replaceAll(with new: [Row]) {
        guard graph.mayWrite("a ListCell was written") else { return }
        replaceRowsUnchecked(with: new)
    }

    /// Replaces all rows without the check that the caller may write.
    ///
    /// For the private copy of an output.
    ///
    /// - Parameters:
    ///   - new: the rows.
    ///   - step: the step that has changed the rows, or nil for the running one.
    func replaceRowsUnchecked(with new: [Row], at step: Int? = nil) {
        var middle = ListDifference.middle(from: rows, to: new, isEqual: ==)
        guard !middle.isEmpty else { return }
        let step = step ?? graph.pendingSequence
        var former = rows
        if let replacement, replacement.step == step {
            // Two replacements in one step are one.
            former = replacement.former
            middle = ListDifference.middle(from: former, to: new, isEqual: ==)
            self.replacement = nil
        } else {
            settle()
        }
        rows = new
        rowIndex.drop()
        changed()
        guard !middle.isEmpty else { return }
        replacement = Replacement(former: former, middle: middle, step: step)
        if middle.count <= Self.comparedAtOnce || !graph.isStepping {
            settle()
        } else {
            // The object asks for the call at the end of the step.
            _ = stepResults
        }
    }

    /// Computes the difference of a replacement and logs its edits.
    ///
    /// Without a difference, or with more edits than the log holds, the log is dropped.
    private func settle() {
        guard let replacement = replacement.take() else { return }
        let (former, step) = (replacement.former, replacement.step)
        let isFirstEdit = log.entries(since: step - 1)?.isEmpty ?? false
        let changes = ListDifference.changes(
            from: former,
            to: rows,
            replacement.middle,
            id: { $0.id },
            isEqual: ==
        )
        guard let changes, changes.count <= ListLog<Row>.capacity else { return log.reset(step: step) }
        for change in changes { log.record(change.edit, former: change.former, step: step) }
        if isFirstEdit, let results = stepResults {
            results[last: changes.count] = .init(formerRows: former, edits: changes.map(\.edit))
        }
    }

    /// Whether the last change replaced so many rows that its difference is computed only if somebody needs it.
    var isReplaced: Bool { replacement != nil }

    /// The largest number of rows in the changed part of a list whose difference is computed at once.
    private static var comparedAtOnce: Int { ListLog<Row>.capacity }

    /// Checks that the caller may write, and completes the log.
    ///
    /// - Returns: false after a mistake, which ends the session.
    private func mayEdit() -> Bool {
        guard graph.mayWrite("a ListCell was written") else { return false }
        if replacement != nil { settle() }
        return true
    }

    /// Sets the first rows of an output's private copy.
    ///
    /// No client knows earlier ones.
    func setInitialRows(_ new: [Row]) {
        rows = new
        version += 1
        log.reset(step: graph.sequence)
    }

    // MARK: Clients

    /// Returns the edits that lead from the list after `step` to the present one, or nil if they are no longer known.
    ///
    /// Several edits are replaced by their difference, which is empty if the list has its former rows again. Ascending
    /// inserts, and lists of more than 10,000 rows, keep the recorded edits, because the comparison would cost more
    /// than it saves.
    func edits(since step: Int) -> [ListEdit<Row>]? {
        entries(since: step).map(edits)
    }

    private func entries(since step: Int) -> ArraySlice<ListLog<Row>.Entry>? {
        if replacement != nil { settle() }
        return log.entries(since: step)
    }

    private func edits(_ entries: ArraySlice<ListLog<Row>.Entry>) -> [ListEdit<Row>] {
        guard entries.count > 1, rows.count <= Self.comparedLength, !Self.areAscendingInserts(entries) else {
            return entries.map { $0.edit }
        }
        if let known = stepResults?[last: entries.count].edits { return known }
        let difference = ListDifference.edits(from: formerRows(entries), to: rows, id: { $0.id }, isEqual: ==)
        let edits = difference ?? entries.map { $0.edit }
        stepResults?[last: entries.count].edits = edits
        return edits
    }

    /// Returns whether the list differs from the one after `step`.
    ///
    /// Returns true if the edits are no longer known.
    func isChanged(since step: Int) -> Bool {
        if let replacement, replacement.step > step { return true }
        guard let entries = log.entries(since: step) else { return true }
        return entries.count == 1 || !edits(entries).isEmpty
    }

    /// Returns the rows after `step`, or nil if the edits are no longer known or the list has more than 10,000 rows.
    func rows(asOf step: Int) -> [Row]? {
        guard rows.count <= Self.comparedLength, let entries = entries(since: step) else { return nil }
        return formerRows(entries)
    }

    private func formerRows(_ entries: ArraySlice<ListLog<Row>.Entry>) -> [Row] {
        guard !entries.isEmpty else { return rows }
        if let known = stepResults?[last: entries.count].formerRows { return known }
        let former = ListLog.undoing(entries, in: rows)
        stepResults?[last: entries.count].formerRows = former
        return former
    }

    // MARK: JSON texts

    /// Returns the edits since `step` with the rows' JSON texts, or nil if they are no longer known.
    func edits(since step: Int, encode: (Row) throws -> [UInt8]) rethrows -> [ListEdit<[UInt8]>]? {
        guard let entries = entries(since: step) else { return nil }
        if let known = stepResults?[last: entries.count].encodedEdits { return known }
        let encoded = try self.encoded(edits(entries), encode: encode)
        stepResults?[last: entries.count].encodedEdits = encoded
        return encoded
    }

    /// Returns the edits that lead from `former` to the present rows, with the rows' JSON texts.
    ///
    /// Returns nil if ids are not unique.
    func edits(from former: [Row], encode: (Row) throws -> [UInt8]) rethrows -> [ListEdit<[UInt8]>]? {
        try ListDifference.edits(from: former, to: rows, id: { $0.id }, isEqual: ==)
            .map { try encoded($0, encode: encode) }
    }

    private func encoded(
        _ edits: [ListEdit<Row>],
        encode: (Row) throws -> [UInt8]
    ) rethrows -> [ListEdit<[UInt8]>] {
        try edits.map { edit in
            try edit.map { row, index in
                // A later edit may have moved or replaced the row.
                let isThere = index < rows.count && rows[index] == row
                return try isThere ? text(ofRowAt: index, encode: encode) : encode(row)
            }
        }
    }

    /// Returns the JSON text of a row, which is encoded at most once in a step.
    func text(ofRowAt index: Int, encode: (Row) throws -> [UInt8]) rethrows -> [UInt8] {
        if let known = stepResults?.text(ofRowAt: index) { return known }
        let text = try encode(rows[index])
        stepResults?.rowTexts[index] = text
        return text
    }

    /// Returns the JSON text of the list, which is encoded at most once in a step.
    func text(encode: ([Row]) throws -> [UInt8]) rethrows -> [UInt8] {
        if let known = stepResults?.text { return known }
        let text = try encode(rows)
        stepResults?.text = text
        return text
    }

    /// Returns the JSON text of the list, made of the texts of its rows.
    ///
    /// In a step, each row is encoded at most once.
    func text(encodingRows encode: (Row) throws -> [UInt8]) rethrows -> [UInt8] {
        if let known = stepResults?.text { return known }
        var text = [UInt8(ascii: "[")]
        var starts: [Int] = []
        starts.reserveCapacity(rows.count + 1)
        for (index, row) in rows.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            starts.append(text.count)
            text += try stepResults?.text(ofRowAt: index) ?? encode(row)
        }
        starts.append(text.count + 1)
        text.append(UInt8(ascii: "]"))
        stepResults?.setText(text, rowStarts: starts)
        return text
    }

    func row(at index: Int) -> Row { rows[index] }

    /// The results that are shared in the running step; nil outside of a step.
    private var stepResults: ListStepResults<Row>? {
        if let results, results.version == version { return results }
        guard graph.isStepping else { return nil }
        if results == nil { graph.notifyAfterStep(self) }
        let new = ListStepResults<Row>(version: version)
        results = new
        return new
    }

    override func stepEnded() {
        results = nil
        if let replacement = replacement.take() { log.reset(step: replacement.step) }
    }

    private static var comparedLength: Int { 10_000 }
    /// Largest number of rows that are removed one by one.
    private static var fewRows: Int { 4 }

    private static func areAscendingInserts(_ entries: ArraySlice<ListLog<Row>.Entry>) -> Bool {
        var last = -1
        for entry in entries {
            guard case .insert(_, let index) = entry.edit, index > last else { return false }
            last = index
        }
        return true
    }

    private func record(_ edit: ListEdit<Row>, former: Row? = nil) {
        log.record(edit, former: former, step: graph.pendingSequence)
        changed()
    }

    private func changed() {
        version += 1
        if isRestorable { markUnsaved() }
        notifyDependents(.changed)
    }
}

extension ListCell: ExpressibleByArrayLiteral {
    /// Creates a list of these rows.
    public convenience init(arrayLiteral elements: Row...) {
        self.init(elements)
    }
}

extension ListCell {
    /// The row with an id, or nil.
    ///
    /// Assigning a row replaces it, or appends it if there was none. Assigning nil removes it. A change in place
    /// (`rows[id: 7]?.title = "x"`) replaces the row. If the assigned row has another id, it also replaces the row of that
    /// id.
    public subscript(id id: Row.ID) -> Row? {
        get { index(of: id).map { self[$0] } }
        set {
            if let row = newValue, row.id != id, let other = index(of: row.id) { remove(at: other) }
            switch (index(of: id), newValue) {
            case (let index?, let row?): replace(row, at: index)
            case (let index?, nil): remove(at: index)
            case (nil, let row?): append(row)
            case (nil, nil): break
            }
        }
    }

    /// Replaces the row that has the same id as `row`, or appends `row` to the list.
    public func upsert(_ row: Row) {
        self[id: row.id] = row
    }

    /// Removes the row with this id.
    ///
    /// - Parameters:
    ///   - id: the row's id.
    ///   - path: the place of the id in the params, such as `/id`, for the error.
    /// - Returns: the row.
    /// - Throws: ``InvalidValue`` if there is no such row.
    @discardableResult
    public func remove(id: Row.ID, at path: String = "") throws(InvalidValue) -> Row {
        remove(at: try existingIndex(of: id, at: path))
    }

    /// Changes the row with this id.
    ///
    /// - Parameters:
    ///   - id: the row's id.
    ///   - path: the place of the id in the params, such as `/id`, for the error.
    ///   - change: changes the row.
    /// - Throws: ``InvalidValue`` if there is no such row.
    public func update(id: Row.ID, at path: String = "", _ change: (inout Row) -> Void) throws(InvalidValue) {
        let index = try existingIndex(of: id, at: path)
        var row = self[index]
        change(&row)
        replace(row, at: index)
    }

    private func existingIndex(of id: Row.ID, at path: String) throws(InvalidValue) -> Int {
        guard let index = index(of: id) else {
            throw InvalidValue(path: path, expected: "the id of a row", found: "\(id)")
        }
        return index
    }
}

/// The list as a collection of its rows.
///
/// `map` with a closure that takes all rows is that of ``Signal``; with one that takes a row it is the collection's.
extension ListCell: RandomAccessCollection {
    /// The index of the first row, which is 0.
    public var startIndex: Int { 0 }

    /// The number of rows.
    public var endIndex: Int { count }

    /// Returns an iterator over the current rows.
    public func makeIterator() -> IndexingIterator<[Row]> { value.makeIterator() }
}
