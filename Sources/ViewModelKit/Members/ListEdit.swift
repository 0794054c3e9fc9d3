/// One change of a list, with the indices at the time of the change (RFC 6902 applies operations in order).
package enum ListEdit<Row> {
    case insert(Row, at: Int)
    case remove(at: Int)
    case replace(Row, at: Int)
    case move(from: Int, to: Int)

    /// Returns the edit with another form of its row.
    ///
    /// - Parameter transform: returns the other form of a row at an index.
    /// - Returns: The edit at the same indices.
    package func map<Other>(_ transform: (Row, Int) throws -> Other) rethrows -> ListEdit<Other> {
        switch self {
        case .insert(let row, let index): .insert(try transform(row, index), at: index)
        case .remove(let index): .remove(at: index)
        case .replace(let row, let index): .replace(try transform(row, index), at: index)
        case .move(let from, let to): .move(from: from, to: to)
        }
    }

    /// Returns the index before the edit of the row that is at `index` after it.
    ///
    /// Returns nil for a row that the edit inserted or replaced.
    func origin(of index: Int) -> Int? {
        switch self {
        case .insert(_, let inserted):
            return index == inserted ? nil : index > inserted ? index - 1 : index
        case .remove(let removed):
            return index >= removed ? index + 1 : index
        case .replace(_, let replaced):
            return index == replaced ? nil : index
        case .move(let from, let to):
            guard index != to else { return from }
            let rest = index > to ? index - 1 : index
            return rest >= from ? rest + 1 : rest
        }
    }
}

extension ListEdit: Equatable where Row: Equatable {}
extension ListEdit: Sendable where Row: Sendable {}
