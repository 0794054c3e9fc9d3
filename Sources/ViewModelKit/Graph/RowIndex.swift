/// A table that finds rows by their ids.
///
/// It has the last known index of each row. Inserts, removals and moves shift other rows, and the table does not update
/// those. A look-up therefore searches around the last known index.
struct RowIndex<Row: Identifiable> {
    /// The largest number of shifts before the table is dropped.
    static var shiftLimit: Int { 256 }

    private var lastKnown: [ExactID<Row.ID>: Int] = [:]
    /// The number of shifts since the table was built, which is also the largest distance of a row from its last known
    /// index.
    private var shifts = 0

    init(of rows: [Row]) {
        lastKnown.reserveCapacity(rows.count)
        for (index, row) in rows.enumerated() {
            lastKnown[ExactID(id: row.id)] = index
        }
    }

    /// Returns the index of the row with this id, or nil.
    func find(_ id: Row.ID, in rows: [Row]) -> Int? {
        guard let index = lastKnown[ExactID(id: id)] else { return nil }
        if index < rows.count, areExactlyEqual(rows[index].id, id) { return index }
        return (max(index - shifts, 0)..<min(index + shifts + 1, rows.count)).first {
            areExactlyEqual(rows[$0].id, id)
        }
    }

    /// Records the present indices of rows.
    mutating func record(_ indices: ClosedRange<Int>, of rows: [Row]) {
        for index in indices { record(index, of: rows) }
    }

    /// Records the present index of a row, and returns whether the id was known.
    @discardableResult
    mutating func record(_ index: Int, of rows: [Row]) -> Bool {
        lastKnown.updateValue(index, forKey: ExactID(id: rows[index].id)) != nil
    }

    mutating func remove(_ id: Row.ID) {
        lastKnown[ExactID(id: id)] = nil
    }

    /// Returns the table after a row was inserted, removed or moved, which shifts each of the others by at most one.
    ///
    /// Returns nil after too many shifts.
    consuming func shifted() -> Self? {
        shifts += 1
        return shifts > Self.shiftLimit ? nil : self
    }
}
