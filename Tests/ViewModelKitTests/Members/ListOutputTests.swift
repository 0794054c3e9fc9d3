import TestSupport
import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `A list output` {
    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `of a derived list tells edits that give the derived list`(seed: UInt64) throws {
        var random = Seeded(seed)
        let harness = try GraphHarness()
        let (source, limit, output) = harness.wire {
            let source = ListCell<Row>()
            let limit = Cell(5)
            let derived = Derived { Array(source.value.filter { $0.id % 2 == 0 }.prefix(limit.value)) }
            return (source, limit, ListOutput(derived))
        }
        output.source.countBindings(1)
        var model = RandomRows()
        var past = [(step: harness.graph.sequence, rows: [Row]())]
        for _ in 0..<150 {
            harness.step {
                model.edit(source, using: &random)
                if Int.random(in: 0..<5, using: &random) == 0 { limit.value = .random(in: 0...8, using: &random) }
            }
            let expected = Array(model.rows.filter { $0.id % 2 == 0 }.prefix(limit.value))
            #expect(output.value == expected)
            past.append((harness.graph.sequence, expected))
            let earlier = past[Int.random(in: past.indices, using: &random)]
            var rows = try earlier.rows.map { try harness.graph.encode($0) }
            let edits = try #require(try output.source.edits(since: earlier.step))
            rows.apply(edits)
            #expect(rows == (try expected.map { try harness.graph.encode($0) }))
        }
    }

    @Test func `whose derived list stays equal is not sent`() throws {
        let harness = try GraphHarness()
        let (source, output) = harness.wire {
            let source = ListCell([Row(id: 1, text: ""), Row(id: 2, text: "")])
            return (source, ListOutput(source.map { $0.filter { $0.id == 1 } }))
        }
        output.source.countBindings(1)
        let before = harness.graph.sequence
        harness.step { source.remove(at: 1) }
        #expect(harness.graph.sequence == before)
        harness.step { source.remove(at: 0) }
        #expect(output.source.changedAt == before + 1)
    }

    // In a release build, 1,000 outputs of one derived list of 9,900 rows needed 1.1 to 1.6 s a change. Each compared all rows.
    @Test func `compares rows no more often for many outputs of one list than for one`() throws {
        func comparisons(outputs count: Int) throws -> Int {
            let harness = try GraphHarness()
            let comparisons = Comparisons()
            let rows = (0..<100).map { CountedRow(id: $0, text: "", comparisons: comparisons) }
            let (cell, outputs) = harness.wire {
                let cell = ListCell(rows)
                return (cell, (0..<count).map { _ in ListOutput(cell) })
            }
            outputs.forEach { $0.source.commitInitialValue() }
            let before = harness.graph.sequence
            // Two edits, whose sum the outputs need.
            harness.step {
                cell.replaceAll(
                    with: rows.dropFirst() + [CountedRow(id: 100, text: "new", comparisons: comparisons)]
                )
                harness.graph.afterCommit {
                    for output in outputs {
                        #expect(output.source.changedAt == before + 1)
                        let edits = try? output.source.edits(since: before)
                        #expect(edits?.count == 2)
                    }
                }
            }
            return comparisons.count
        }
        #expect(try comparisons(outputs: 50) == comparisons(outputs: 1))
    }

    @Test func `compares the rows of a derived list once more than the list itself needs`() throws {
        let harness = try GraphHarness()
        let comparisons = Comparisons()
        let rows = (0..<100).map { CountedRow(id: $0, text: "", comparisons: comparisons) }
        let (cell, output) = harness.wire {
            let cell = Cell(rows)
            return (cell, ListOutput(cell))
        }
        output.source.countBindings(1)
        comparisons.count = 0
        let new = Array(rows.dropFirst() + [CountedRow(id: 100, text: "new", comparisons: comparisons)])
        // What one difference costs.
        let difference = ListDifference.edits(from: rows, to: new, id: { $0.id }, isEqual: ==)
        let expected = try #require(difference)
        let once = comparisons.count
        comparisons.count = 0
        harness.step { cell.value = new }
        // The cell and the output's copy each find at once that the first rows differ.
        #expect(comparisons.count <= once + 2)
        #expect(expected.count == 2)
    }

    // The outputs of a list shared the texts of a step, so that one sent the rows of another.
    @Test func `shows rows in its own form, whatever forms other outputs of the list have`() throws {
        let harness = try GraphHarness()
        let marks = ["", "!", "?"]
        let (cell, outputs) = harness.wire {
            let cell = ListCell([Row(id: 1, text: "a"), Row(id: 2, text: "b")])
            let outputs = marks.map { mark in
                mark.isEmpty ? ListOutput(cell) : ListOutput(cell) { Row(id: $0.id, text: $0.text + mark) }
            }
            return (cell, outputs)
        }
        let before = harness.graph.sequence
        var edits: [[ListEdit<[UInt8]>]?] = []
        var rows: [[UInt8]?] = []
        var lists: [[UInt8]?] = []
        harness.step {
            cell.replace(Row(id: 2, text: "c"), at: 1)
            harness.graph.afterCommit {
                for output in outputs {
                    edits.append(try? output.source.edits(since: before))
                    rows.append(try? output.source.row(at: 1).text)
                    lists.append(try? output.source.encoded())
                }
            }
        }
        let texts = marks.map { Array(#"{"id":2,"text":"c\#($0)"}"#.utf8) }
        #expect(edits == texts.map { [.replace($0, at: 1)] })
        #expect(rows == texts)
        #expect(lists == marks.map { Array(#"[{"id":1,"text":"a\#($0)"},{"id":2,"text":"c\#($0)"}]"#.utf8) })
    }

    @Test func `leaves no dependents behind when it is released`() throws {
        let harness = try GraphHarness()
        let cell = harness.wire { ListCell<Row>() }
        for _ in 0..<3 {
            let outputs = harness.wire { [ListOutput(cell), ListOutput(cell.map { $0.reversed() })] }
            outputs.forEach { $0.source.countBindings(1) }
            // An optimised build releases what is not used any more.
            withExtendedLifetime(outputs) { #expect(cell.dependentCount == 2) }
        }
        #expect(cell.dependentCount == 0)
    }

    @Test func `can be constant`() throws {
        let harness = try GraphHarness()
        let output = harness.wire { ListOutput(ListCell([Row(id: 1, text: "")])) }
        output.source.commitInitialValue()
        #expect(output.value == [Row(id: 1, text: "")])
        #expect(try output.source.encoded() == Array(#"[{"id":1,"text":""}]"#.utf8))
    }
}

/// Counts comparisons.
private final class Comparisons {
    var count = 0
}

/// A row that counts how often it is compared.
@Schemable
private struct CountedRow: Equatable, Identifiable {
    let id: Int
    var text: String
    var comparisons: Comparisons?

    enum CodingKeys: CodingKey { case id, text }

    static func == (left: Self, right: Self) -> Bool {
        left.comparisons?.count += 1
        return left.id == right.id && left.text == right.text
    }
}
