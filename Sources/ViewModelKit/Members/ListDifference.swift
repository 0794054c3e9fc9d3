/// The difference between two lists.
package enum ListDifference {
    /// The parts of two lists between their equal rows at both ends.
    struct Middle {
        let old: Range<Int>
        let new: Range<Int>

        var isEmpty: Bool { old.isEmpty && new.isEmpty }
        /// The number of rows in the longer part.
        var count: Int { max(old.count, new.count) }
    }

    /// Returns the parts of two lists between their equal rows at both ends.
    ///
    /// Cost: arrays that share their storage are not compared. Otherwise each equal row at the ends is compared once.
    static func middle<Row>(from old: [Row], to new: [Row], isEqual: (Row, Row) -> Bool) -> Middle {
        old.withUnsafeBufferPointer { old in
            new.withUnsafeBufferPointer { new in
                let none = Middle(old: 0..<0, new: 0..<0)
                // Pointers, because a buffer's subscript copies the row.
                guard let oldRows = old.baseAddress, let newRows = new.baseAddress else {
                    return Middle(old: old.indices, new: new.indices)
                }
                if oldRows == newRows, old.count == new.count { return none }
                let least = min(old.count, new.count)
                var head = 0
                while head < least, isEqual(oldRows[head], newRows[head]) { head += 1 }
                var tail = 0
                while tail < least - head, isEqual(oldRows[old.count - 1 - tail], newRows[new.count - 1 - tail]) {
                    tail += 1
                }
                return Middle(old: head..<(old.count - tail), new: head..<(new.count - tail))
            }
        }
    }

    /// Returns the edits that turn `old` into `new`, in order.
    ///
    /// Returns nil if ids in the part that differs are not unique.
    ///
    /// Two rows are the same row if their ids are equal, and unchanged if the rows are equal. The longest run of rows
    /// that kept their order stays in place. Rows that moved are removed and inserted. Cost: equal rows at both ends
    /// are compared once, and the part between them costs O(n log n).
    package static func edits<Row, ID: Hashable>(
        from old: [Row],
        to new: [Row],
        id: (Row) -> ID,
        isEqual: (Row, Row) -> Bool
    ) -> [ListEdit<Row>]? {
        changes(from: old, to: new, middle(from: old, to: new, isEqual: isEqual), id: id, isEqual: isEqual)?
            .map(\.edit)
    }

    /// Returns the edits that turn `old` into `new`, of which only `middle` differs, each with the row that it removes or
    /// replaces.
    ///
    /// Returns nil if ids in `middle` are not unique.
    static func changes<Row, ID: Hashable>(
        from old: [Row],
        to new: [Row],
        _ middle: Middle,
        id: (Row) -> ID,
        isEqual: (Row, Row) -> Bool
    ) -> [(edit: ListEdit<Row>, former: Row?)]? {
        var oldIndices: [ID: Int] = [:]
        oldIndices.reserveCapacity(middle.old.count)
        for index in middle.old where oldIndices.updateValue(index, forKey: id(old[index])) != nil {
            return nil
        }
        // The old index of each new row. Rows that keep their order stay.
        var origins: [Int?] = []
        origins.reserveCapacity(middle.new.count)
        var seen: Set<ID> = []
        seen.reserveCapacity(middle.new.count)
        for index in middle.new {
            guard seen.insert(id(new[index])).inserted else { return nil }
            origins.append(oldIndices[id(new[index])])
        }
        var isKept = [Bool](repeating: false, count: middle.old.count)
        for index in longestIncreasing(origins.compactMap { $0 }) { isKept[index - middle.old.lowerBound] = true }
        func keeps(_ index: Int) -> Bool { isKept[index - middle.old.lowerBound] }
        var changes: [(edit: ListEdit<Row>, former: Row?)] = []
        for index in middle.old.reversed() where !keeps(index) {
            changes.append((.remove(at: index), old[index]))
        }
        for (offset, origin) in origins.enumerated() {
            let index = middle.new.lowerBound + offset
            if let origin, keeps(origin) {
                if !isEqual(old[origin], new[index]) {
                    changes.append((.replace(new[index], at: index), old[origin]))
                }
            } else {
                changes.append((.insert(new[index], at: index), nil))
            }
        }
        return changes
    }

    /// Returns the longest increasing subsequence of distinct numbers (patience sorting).
    static func longestIncreasing(_ numbers: [Int]) -> [Int] {
        var piles: [Int] = []
        var previous = [Int](repeating: -1, count: numbers.count)
        for (index, number) in numbers.enumerated() {
            var low = 0
            var high = piles.count
            while low < high {
                let middle = (low + high) / 2
                if numbers[piles[middle]] < number {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            if low > 0 { previous[index] = piles[low - 1] }
            if low == piles.count {
                piles.append(index)
            } else {
                piles[low] = index
            }
        }
        var result: [Int] = []
        var index = piles.last ?? -1
        while index >= 0 {
            result.append(numbers[index])
            index = previous[index]
        }
        return result.reversed()
    }
}
