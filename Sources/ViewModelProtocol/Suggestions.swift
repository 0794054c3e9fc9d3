/// Finds the names that somebody may have meant.
public enum Suggestions {
    /// How many names are suggested at most.
    public static let limit = 3

    /// The most candidates that are compared; those after them are not looked at.
    public static let candidateLimit = 200

    /// The longest name for which suggestions are sought, and the longest candidate.
    ///
    /// A longer name is no typing error.
    private static let longestName = 63

    /// The names close to one that does not exist, the best first, at most ``limit``.
    ///
    /// Close is: equal but for the case, the beginning of the other (three characters at least), or not further away
    /// than about a third of the length, counted in characters inserted, left out, replaced or swapped with their
    /// neighbour. Costs the product of the lengths for each candidate.
    public static func close(to name: String, among candidates: some Sequence<String>) -> [String] {
        let wanted = Array(name.utf8.prefix(longestName + 1))
        guard !wanted.isEmpty, wanted.count <= longestName else { return [] }
        let ranked = candidates.prefix(candidateLimit).compactMap { candidate in
            rank(candidate, for: wanted).map { (rank: $0, candidate: candidate) }
        }
        let best = ranked.sorted { ($0.rank, $0.candidate) < ($1.rank, $1.candidate) }
        return best.prefix(limit).map(\.candidate)
    }

    /// How far a candidate is from the wanted name, or nil where it is too far.
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

    /// The Damerau-Levenshtein distance (optimal string alignment), or nil where it is above `limit`.
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
            // Distances only grow from row to row, but for a swap, which looks one row further back.
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
