/// A search for names that resemble a wrong one.
package enum Suggestions {
    /// The maximum number of suggestions.
    package static let limit = 3

    /// The maximum number of compared candidates.
    ///
    /// Later candidates are ignored.
    package static let candidateLimit = 200

    /// The length in bytes above which names and candidates are ignored.
    ///
    /// A longer name is not a typing error.
    private static let longestName = 63

    /// Returns up to ``limit`` names that resemble a wrong one, the best first.
    ///
    /// A candidate resembles the name in one of three cases: they differ only in the case of ASCII letters; one of them
    /// begins with the other, which has at least 3 bytes; or their edit distance is at most a third of the name's
    /// length, rounded, and at least 1. The edit distance counts inserted, deleted and replaced bytes and swapped
    /// neighbours. The cost of each candidate is the product of the two lengths.
    package static func close(to name: String, among candidates: some Sequence<String>) -> [String] {
        let wanted = Array(name.utf8.prefix(longestName + 1))
        guard !wanted.isEmpty, wanted.count <= longestName else { return [] }
        let ranked = candidates.prefix(candidateLimit).compactMap { candidate in
            rank(candidate, for: wanted).map { (rank: $0, candidate: candidate) }
        }
        let best = ranked.sorted { ($0.rank, $0.candidate) < ($1.rank, $1.candidate) }
        return best.prefix(limit).map(\.candidate)
    }

    /// Returns the rank of a candidate, 0 for the best, or nil if it does not resemble the name.
    private static func rank(_ candidate: String, for wanted: [UInt8]) -> Int? {
        let bytes = Array(candidate.utf8)
        guard bytes != wanted, bytes.count <= longestName else { return nil }
        let (left, right) = (wanted.map(lowercased), bytes.map(lowercased))
        if left == right { return 0 }
        let allowed = max(1, (left.count + 1) / 3)
        if abs(left.count - right.count) <= allowed {
            if let distance = distance(left, right, atMost: allowed) { return distance }
        }
        let (short, long) = left.count < right.count ? (left, right) : (right, left)
        return short.count >= 3 && long.starts(with: short) ? longestName : nil
    }

    /// Returns the Damerau-Levenshtein distance (optimal string alignment), or nil if it is above `limit`.
    private static func distance(_ left: [UInt8], _ right: [UInt8], atMost limit: Int) -> Int? {
        var before = [Int](repeating: 0, count: right.count + 1)
        var previous = Array(0...right.count)
        var current = before
        for row in left.indices {
            current[0] = row + 1
            var least = current[0]
            for column in right.indices {
                let cost = left[row] == right[column] ? 0 : 1
                var best = min(previous[column + 1] + 1, current[column] + 1, previous[column] + cost)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, before[column - 1] + 1)
                }
                current[column + 1] = best
                least = min(least, best)
            }
            // A row's minimum is never below the smaller minimum of the two rows before it. A swap refers to the row
            // before the last.
            if least > limit, previous.min() ?? 0 > limit { return nil }
            (before, previous, current) = (previous, current, before)
        }
        let distance = previous[right.count]
        return distance <= limit ? distance : nil
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
