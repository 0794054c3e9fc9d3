/// A writable list that knows what was done to it: clients get the edits, whatever its length.
///
/// Use it for lists that are long or change a little at a time; a short list can as well be derived from other values
/// (``ListOutput`` finds the difference). Rows have unique ids. Isolation: confined to its session.
public final class ListCell<Row: Identifiable & Equatable>: Signal<[Row]> {
    private var rows: [Row]
    private(set) var log = ListLog<Row>()
    private var places: [Row.ID: Int] = [:]
    private var placesAreExact = false

    /// Makes a list.
    public init(_ rows: [Row] = []) {
        self.rows = rows
        super.init(graph: .current)
    }

    /// Makes a list that a named session finds again after it ended, or the daemon did, however it ended.
    ///
    /// - Parameters:
    ///   - initial: the rows where none were saved, or where the saved ones do not fit any more.
    ///   - name: what it is saved under, unique in its ViewModel (or, for what ViewModels share, in the session).
    public convenience init(_ initial: [Row] = [], restoring name: String) where Row: Codable {
        let graph = Graph.current
        self.init(graph.restoring?.saved(name, as: [Row].self, host: graph.host) ?? initial)
        graph.restoring?.add(self, name: name) { [unowned self] in try graph.host.encode(rows) }
    }

    /// The rows.
    ///
    /// Reading costs nothing; keeping the array while the list is edited makes the next edit copy it.
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

    /// The index of the row with this id, or nil.
    ///
    /// Usually O(1); O(n) after rows before it came, went or moved.
    public func index(of id: Row.ID) -> Int? {
        graph.evaluating?.track(self)
        if let place = places[id], place < rows.count, rows[place].id == id { return place }
        if placesAreExact { return nil }
        places.removeAll(keepingCapacity: true)
        places.reserveCapacity(rows.count)
        for (index, row) in rows.enumerated() {
            places[row.id] = index
        }
        placesAreExact = true
        return places[id]
    }

    /// Adds a row at the end.
    public func append(_ row: Row) {
        if placesAreExact { places[row.id] = rows.count }
        rows.append(row)
        record(.insert(row, at: rows.count - 1))
    }

    /// Adds rows at the end.
    public func append(contentsOf new: some Collection<Row>) {
        guard new.count <= ListLog<Row>.capacity else {
            rows.append(contentsOf: new)
            forgetPlaces()
            log.reset(step: graph.pendingSequence)
            return changed()
        }
        for row in new {
            append(row)
        }
    }

    /// Inserts a row before the one at `index`.
    public func insert(_ row: Row, at index: Int) {
        rows.insert(row, at: index)
        placesAreExact = false
        record(.insert(row, at: index))
    }

    /// Removes the row at `index`.
    @discardableResult
    public func remove(at index: Int) -> Row {
        let row = rows.remove(at: index)
        places[row.id] = nil
        placesAreExact = false
        record(.remove(at: index), former: row)
        return row
    }

    /// Removes the rows that satisfy `isRemoved`; O(n).
    public func removeAll(where isRemoved: (Row) -> Bool) {
        let removed = rows.indices.filter { isRemoved(rows[$0]) }
        guard !removed.isEmpty else { return }
        let all = Set(removed)
        let former = rows
        rows = rows.indices.lazy.filter { !all.contains($0) }.map { self.rows[$0] }
        forgetPlaces()
        if removed.count <= ListLog<Row>.capacity {
            for index in removed.reversed() {
                log.record(.remove(at: index), former: former[index], step: graph.pendingSequence)
            }
        } else {
            log.reset(step: graph.pendingSequence)
        }
        changed()
    }

    /// Replaces the row at `index`, unless it is equal.
    public func replace(_ row: Row, at index: Int) {
        guard rows[index] != row else { return }
        let former = rows[index]
        if former.id != row.id { forgetPlaces() }
        rows[index] = row
        record(.replace(row, at: index), former: former)
    }

    /// Takes the row at `source` out and puts it in again at `target`, counted without it (as RFC 6902 `move`).
    public func move(from source: Int, to target: Int) {
        guard source != target else { return }
        rows.insert(rows.remove(at: source), at: target)
        placesAreExact = false
        record(.move(from: source, to: target))
    }

    /// Replaces all rows; clients get the difference where it is smaller.
    public func replaceAll(with new: [Row]) {
        guard rows != new else { return }
        let step = graph.pendingSequence
        if let edits = ListDifference.edits(from: rows, to: new, id: { $0.id }, isEqual: ==),
            edits.count <= ListLog<Row>.capacity
        {
            // In the order of a difference: what goes, from the end; then what comes or changes, from the front.
            var places = rows
            for edit in edits {
                switch edit {
                case .remove(let index): log.record(edit, former: places.remove(at: index), step: step)
                case .replace(let row, let index):
                    log.record(edit, former: places[index], step: step)
                    places[index] = row
                case .insert(let row, let index):
                    log.record(edit, step: step)
                    places.insert(row, at: index)
                case .move(let from, let to):
                    log.record(edit, step: step)
                    places.insert(places.remove(at: from), at: to)
                }
            }
        } else {
            log.reset(step: step)
        }
        rows = new
        forgetPlaces()
        changed()
    }

    func row(at index: Int) -> Row { rows[index] }

    /// The edits that lead from the list after `step` to the present one; nil when they are not known any more.
    ///
    /// Several edits are told as their sum, so that a list that came back to what it was has none; but not for a list so
    /// long that looking at all of it would cost more than it spares.
    func edits(since step: Int) -> [ListEdit<Row>]? {
        guard let entries = log.entries(since: step) else { return nil }
        guard entries.count > 1, rows.count <= Self.comparedLength, !Self.areAppends(entries) else {
            return entries.map { $0.edit }
        }
        let former = ListLog.undoing(entries, in: rows)
        return ListDifference.edits(from: former, to: rows, id: { $0.id }, isEqual: ==) ?? entries.map { $0.edit }
    }

    /// Whether the list is another than after `step`, as far as that is known.
    func isChanged(since step: Int) -> Bool {
        log.entries(since: step)?.count == 1 || edits(since: step)?.isEmpty != true
    }

    /// The rows as they were after `step`; nil where that is not known any more, or the list is too long to look at.
    func rows(asOf step: Int) -> [Row]? {
        guard rows.count <= Self.comparedLength, let entries = log.entries(since: step) else { return nil }
        return ListLog.undoing(entries, in: rows)
    }

    private static var comparedLength: Int { 10_000 }

    private static func areAppends(_ entries: ArraySlice<ListLog<Row>.Entry>) -> Bool {
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

    private func forgetPlaces() {
        places = [:]
        placesAreExact = false
    }

    private func changed() {
        assert(graph.evaluating == nil, "a ListCell was written inside of a Derived; derive its value instead")
        version += 1
        if isRestorable { graph.restoring?.noteChange() }
        notifyDependents(.changed)
    }
}
