import TestSupport
import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `A list output` {
    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `of a derived list tells edits that give the derived list`(seed: UInt64) throws {
        var random = Seeded(seed)
        let bench = try Bench()
        let (source, limit, output) = bench.wire {
            let source = ListCell<Row>()
            let limit = Cell(5)
            let derived = Derived { Array(source.value.filter { $0.id % 2 == 0 }.prefix(limit.value)) }
            return (source, limit, ListOutput(derived))
        }
        output.attach()
        var model = RandomRows()
        var past = [(step: bench.graph.sequence, rows: [Row]())]
        for _ in 0..<150 {
            bench.step {
                model.edit(source, using: &random)
                if Int.random(in: 0..<5, using: &random) == 0 { limit.value = .random(in: 0...8, using: &random) }
            }
            let expected = Array(model.rows.filter { $0.id % 2 == 0 }.prefix(limit.value))
            #expect(output.value == expected)
            past.append((bench.graph.sequence, expected))
            let earlier = past[Int.random(in: past.indices, using: &random)]
            var rows = try earlier.rows.map { try bench.graph.host.encode($0) }
            let edits = try #require(try output.edits(since: earlier.step))
            rows.apply(edits.map(\.text))
            #expect(rows == (try expected.map { try bench.graph.host.encode($0) }))
        }
    }

    @Test func `whose derived list stays equal is not sent`() throws {
        let bench = try Bench()
        let (source, output) = bench.wire {
            let source = ListCell([Row(id: 1, text: ""), Row(id: 2, text: "")])
            return (source, ListOutput(source.map { $0.filter { $0.id == 1 } }))
        }
        output.attach()
        let before = bench.graph.sequence
        bench.step { source.remove(at: 1) }
        #expect(bench.graph.sequence == before)
        bench.step { source.remove(at: 0) }
        #expect(output.changedAt == before + 1)
    }

    // In a release build, 1,000 outputs of one derived list of 9,900 rows needed 1.1 to 1.6 s a change. Each compared all rows.
    @Test func `compares rows no more often for many outputs of one list than for one`() throws {
        func comparisons(outputs count: Int) throws -> Int {
            let bench = try Bench()
            let comparisons = Comparisons()
            let rows = (0..<100).map { CountedRow(id: $0, text: "", comparisons: comparisons) }
            let (cell, outputs) = bench.wire {
                let cell = ListCell(rows)
                return (cell, (0..<count).map { _ in ListOutput(cell) })
            }
            outputs.forEach { $0.attach() }
            let before = bench.graph.sequence
            // Two edits, whose sum the outputs need.
            bench.step {
                cell.replaceAll(
                    with: rows.dropFirst() + [CountedRow(id: 100, text: "new", comparisons: comparisons)]
                )
            }
            for output in outputs {
                #expect(output.changedAt == before + 1)
                #expect(try output.edits(since: before)?.count == 2)
            }
            return comparisons.count
        }
        #expect(try comparisons(outputs: 50) == comparisons(outputs: 1))
    }

    @Test func `leaves no dependents behind when it is released`() throws {
        let bench = try Bench()
        let cell = bench.wire { ListCell<Row>() }
        for _ in 0..<3 {
            let outputs = bench.wire { [ListOutput(cell), ListOutput(cell.map { $0.reversed() })] }
            outputs.forEach { $0.attach() }
            // An optimised build releases what is not used any more.
            withExtendedLifetime(outputs) { #expect(cell.dependentCount == 2) }
        }
        #expect(cell.dependentCount == 0)
    }

    @Test func `can be constant`() throws {
        let bench = try Bench()
        let output = bench.wire { ListOutput([Row(id: 1, text: "")]) }
        output.attach()
        #expect(output.value == [Row(id: 1, text: "")])
        #expect(try output.encoded() == Array(#"[{"id":1,"text":""}]"#.utf8))
    }
}

/// Counts comparisons.
private final class Comparisons {
    var count = 0
}

/// A row that counts how often it is compared.
private struct CountedRow: Codable, Equatable, Identifiable {
    let id: Int
    var text: String
    var comparisons: Comparisons?

    enum CodingKeys: CodingKey { case id, text }

    static func == (left: Self, right: Self) -> Bool {
        left.comparisons?.count += 1
        return left.id == right.id && left.text == right.text
    }
}
