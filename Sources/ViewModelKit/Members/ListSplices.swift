/// Where rows of a list came and went: in order, each in positions of the list after the earlier ones.
///
/// Applied to the ids of the former rows they give the ids of the present ones. A row that moved has gone and come.
package struct ListSplices {
    /// The place of a splice, and the numbers of rows that went and came there.
    package typealias Splice = (at: Int, removed: Int, inserted: Int)

    package private(set) var splices: [Splice] = []

    init() {}

    /// Creates the splice of a list of which everything may have changed.
    package init(replacing former: Int, with present: Int) {
        if former > 0 || present > 0 { splices = [(0, former, present)] }
    }

    /// The number of rows that the list has more than before.
    package var growth: Int { splices.reduce(0) { $0 + $1.inserted - $1.removed } }

    /// Appends an edit.
    ///
    /// A replaced row counts as the same row.
    mutating func append<Row>(_ edit: ListEdit<Row>) {
        switch edit {
        case .insert(_, let index): insert(at: index)
        case .remove(let index): remove(at: index)
        case .move(let from, let to):
            remove(at: from)
            insert(at: to)
        case .replace: break
        }
    }

    mutating func insert(at index: Int) {
        guard let last = splices.last, last.at...last.at + last.inserted ~= index else {
            return splices.append((index, 0, 1))
        }
        splices[splices.count - 1].inserted += 1
    }

    mutating func remove(at index: Int) {
        let end = splices.count - 1
        guard let last = splices.last, last.at - 1...last.at + last.inserted ~= index else {
            return splices.append((index, 1, 0))
        }
        if index < last.at {
            splices[end].at -= 1
            splices[end].removed += 1
        } else if index < last.at + last.inserted {
            // A row that has come since.
            splices[end].inserted -= 1
            if last.inserted == 1, last.removed == 0 { splices.removeLast() }
        } else {
            splices[end].removed += 1
        }
    }

    /// Follows a row through the splices.
    ///
    /// - Parameters:
    ///   - index: the index before the splices. One past the end has no row and stays.
    ///   - count: the number of rows before the splices.
    /// - Returns: The index of the row that was at `index`, or of the next one that is left. If none is left, the index of
    ///   what came in its place.
    package func index(of index: Int, in count: Int) -> Int {
        var (index, count) = (index, count)
        for splice in splices {
            let end = splice.at + splice.removed
            if index < count, splice.at <= index {
                if index >= end {
                    index += splice.inserted - splice.removed
                } else {
                    index = splice.at + (end < count ? splice.inserted : 0)
                }
            }
            count += splice.inserted - splice.removed
        }
        return index
    }
}
