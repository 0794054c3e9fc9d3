/// A writable list that knows what was done to it: clients get the edits, whatever its length.
///
/// Use it for lists that are long or change a little at a time; a short list can as well be derived from other values
/// (``ListOutput`` finds the difference). Rows have unique ids. Isolation: confined to its session.
public final class ListCell<Row: Identifiable & Equatable>: Signal<[Row]> {
    private var rows: [Row]
    private(set) var log = ListLog<Row>()
    /// The last sum of several edits: all outputs of the list ask for the same one.
    private var sum: (step: Int, version: Int, edits: [ListEdit<Row>])?
    /// Where the rows were when they were looked for, when they came, or when they were moved.
    private var places: [Row.ID: Int] = [:]
    /// How far a row may be from its place, because others came, went or moved since; nil while no places are known.
    private var drift: Int?

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
        self.init(initial, restoring: name) { _ in true }
    }

    /// The same for rows that were saved only where they satisfy `isSound`.
    convenience init(_ initial: [Row], restoring name: String, ifSound isSound: ([Row]) -> Bool) where Row: Codable {
        let graph = Graph.current
        let saved = graph.restoring?.saved(name, as: [Row].self, host: graph.host, ifSound: isSound)
        self.init(saved ?? initial)
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
    /// O(1) while rows are only appended and replaced, and in most cases otherwise; O(n) now and then.
    public func index(of id: Row.ID) -> Int? {
        graph.evaluating?.track(self)
        let drift = self.drift ?? findPlaces()
        guard let place = places[id] else { return nil }
        if place < rows.count, rows[place].id == id { return place }
        return (max(place - drift, 0)..<min(place + drift + 1, rows.count)).first { rows[$0].id == id }
    }

    /// Adds a row at the end.
    public func append(_ row: Row) {
        guard graph.mayWrite("a ListCell was written") else { return }
        rows.append(row)
        notePlaces(of: rows.count - 1...rows.count - 1)
        record(.insert(row, at: rows.count - 1))
    }

    /// Adds rows at the end.
    public func append(contentsOf new: some Collection<Row>) {
        guard graph.mayWrite("a ListCell was written") else { return }
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
        guard graph.mayWrite("a ListCell was written") else { return }
        rows.insert(row, at: index)
        noteShift()
        notePlaces(of: index...index)
        record(.insert(row, at: index))
    }

    /// Removes the row at `index`.
    @discardableResult
    public func remove(at index: Int) -> Row {
        guard graph.mayWrite("a ListCell was written") else { return rows[index] }
        let row = rows.remove(at: index)
        noteShift()
        places[row.id] = nil
        record(.remove(at: index), former: row)
        return row
    }

    /// Removes the rows with these ids; unknown ones are ignored.
    public func removeAll(ids: some Sequence<Row.ID>) {
        removeAll(at: Set(ids.compactMap { index(of: $0) }).sorted())
    }

    /// Removes the rows that satisfy `isRemoved`; O(n).
    public func removeAll(where isRemoved: (Row) -> Bool) {
        removeAll(at: rows.indices.filter { isRemoved(rows[$0]) })
    }

    /// Removes the rows at some indices, which ascend.
    private func removeAll(at indices: [Int]) {
        guard graph.mayWrite("a ListCell was written") else { return }
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
        forgetPlaces()
        changed()
    }

    /// Replaces the row at `index`, unless it is equal.
    public func replace(_ row: Row, at index: Int) {
        guard graph.mayWrite("a ListCell was written") else { return }
        guard rows[index] != row else { return }
        let former = rows[index]
        rows[index] = row
        if former.id != row.id {
            places[former.id] = nil
            notePlaces(of: index...index)
        }
        record(.replace(row, at: index), former: former)
    }

    /// Takes the row at `source` out and puts it in again at `target`, counted without it (as RFC 6902 `move`).
    ///
    /// Costs what the rows between the two do.
    public func move(from source: Int, to target: Int) {
        guard graph.mayWrite("a ListCell was written") else { return }
        guard source != target else { return }
        let row = rows[source]
        let way = source < target ? 1 : -1
        for index in stride(from: source, to: target, by: way) { rows[index] = rows[index + way] }
        rows[target] = row
        let moved = min(source, target)...max(source, target)
        if moved.count <= Self.nearby {
            notePlaces(of: moved)
        } else {
            noteShift()
            notePlaces(of: target...target)
        }
        record(.move(from: source, to: target))
    }

    /// Replaces all rows; clients get the difference where it is smaller.
    public func replaceAll(with new: [Row]) {
        guard graph.mayWrite("a ListCell was written") else { return }
        become(new)
    }

    /// Replaces all rows; for an output whose own copy this is.
    func become(_ new: [Row]) {
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
        if let sum, sum.step == step, sum.version == version { return sum.edits }
        let former = ListLog.undoing(entries, in: rows)
        let difference = ListDifference.edits(from: former, to: rows, id: { $0.id }, isEqual: ==)
        let edits = difference ?? entries.map { $0.edit }
        sum = (step, version, edits)
        return edits
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
    /// How far from its place a row is looked for, and how many rows' places are put right after a move.
    private static var nearby: Int { 256 }
    /// How many rows are removed one by one.
    private static var fewRows: Int { 4 }

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

    private func findPlaces() -> Int {
        places.removeAll(keepingCapacity: true)
        places.reserveCapacity(rows.count)
        for (index, row) in rows.enumerated() {
            places[row.id] = index
        }
        drift = 0
        return 0
    }

    private func notePlaces(of indices: ClosedRange<Int>) {
        guard drift != nil else { return }
        for index in indices { places[rows[index].id] = index }
    }

    /// Takes note of a row that came, went or moved: each of the others is now at most one further from its place.
    private func noteShift() {
        guard let shifts = drift else { return }
        drift = shifts < Self.nearby ? shifts + 1 : nil
    }

    private func forgetPlaces() {
        places = [:]
        drift = nil
    }

    private func changed() {
        version += 1
        if isRestorable { graph.restoring?.noteChange() }
        notifyDependents(.changed)
    }
}
