import TestSupport
import Testing
import ViewModelKit

@Suite struct `The difference of two lists` {
    private func rows(_ count: Int, using random: inout Seeded) -> [Row] {
        (0..<30).shuffled(using: &random).prefix(count)
            .map { Row(id: $0, text: "\(Int.random(in: 0..<2, using: &random))") }
    }

    private func edits(_ old: [Row], _ new: [Row]) -> [ListEdit<Row>]? {
        ListDifference.edits(from: old, to: new, id: \.id, isEqual: ==)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `turns the old one into the new one`(seed: UInt64) throws {
        var random = Seeded(seed)
        for _ in 0..<200 {
            let old = rows(.random(in: 0...12, using: &random), using: &random)
            let new = rows(.random(in: 0...12, using: &random), using: &random)
            var result = old
            result.apply(try #require(edits(old, new)))
            #expect(result == new)
        }
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `keeps as many rows in their places as can be kept`(seed: UInt64) throws {
        var random = Seeded(seed)
        for _ in 0..<50 {
            let old = rows(.random(in: 0...8, using: &random), using: &random).map { Row(id: $0.id, text: "") }
            let new = rows(.random(in: 0...8, using: &random), using: &random).map { Row(id: $0.id, text: "") }
            let kept = longestCommon(old.map(\.id), new.map(\.id))
            #expect(try #require(edits(old, new)).count == old.count - kept + new.count - kept)
        }
    }

    /// The length of the longest common subsequence, by trying everything.
    private func longestCommon(_ left: [Int], _ right: [Int]) -> Int {
        guard let first = left.first else { return 0 }
        let rest = Array(left.dropFirst())
        let without = longestCommon(rest, right)
        guard let index = right.firstIndex(of: first) else { return without }
        return max(without, 1 + longestCommon(rest, Array(right[(index + 1)...])))
    }

    @Test func `cannot be told where ids are not unique`() {
        let twice = [Row(id: 1, text: "a"), Row(id: 1, text: "b")]
        #expect(edits(twice, [Row(id: 2, text: "")]) == nil)
        #expect(edits([Row(id: 2, text: "")], twice) == nil)
    }
}
