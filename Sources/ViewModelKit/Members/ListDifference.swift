/// The difference between two lists.
package enum ListDifference {
    /// Returns the edits that turn `old` into `new`, in order.
    ///
    /// Returns nil if ids in the part that differs are not unique.
    ///
    /// Two rows are the same row if their ids are equal, and unchanged if the rows are equal. The longest run of rows
    /// that kept their order stays in place. Rows that moved are removed and inserted. Cost: equal rows at both ends
    /// are compared once, and the part between them costs O(n log n).
    package static func edits<Row, ID: Hashable>(
        from old: some RandomAccessCollection<Row>,
        to new: some RandomAccessCollection<Row>,
        id: (Row) -> ID,
        isEqual: (Row, Row) -> Bool
    ) -> [ListEdit<Row>]? {
        let old = Array(old)
        let new = Array(new)
        var head = 0
        while head < old.count, head < new.count, isEqual(old[head], new[head]) {
            head += 1
        }
        var tail = 0
        while tail < old.count - head, tail < new.count - head,
            isEqual(old[old.count - 1 - tail], new[new.count - 1 - tail])
        {
            tail += 1
        }
        let oldMiddle = head..<(old.count - tail)
        let newMiddle = head..<(new.count - tail)
        var oldIndices: [ID: Int] = [:]
        for index in oldMiddle where oldIndices.updateValue(index, forKey: id(old[index])) != nil {
            return nil
        }
        // The old index of each new row. Rows that keep their order stay.
        var origins: [Int?] = []
        var seen: Set<ID> = []
        for index in newMiddle {
            guard seen.insert(id(new[index])).inserted else { return nil }
            origins.append(oldIndices[id(new[index])])
        }
        let kept = Set(longestIncreasing(origins.compactMap { $0 }))
        var edits: [ListEdit<Row>] = []
        for index in oldMiddle.reversed() where !kept.contains(index) {
            edits.append(.remove(at: index))
        }
        for (offset, origin) in origins.enumerated() {
            let index = head + offset
            if let origin, kept.contains(origin) {
                if !isEqual(old[origin], new[index]) {
                    edits.append(.replace(new[index], at: index))
                }
            } else {
                edits.append(.insert(new[index], at: index))
            }
        }
        return edits
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
