import TestSupport
import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `A list cell` {
    private static let seeds: [UInt64] = Array(1...20)

    @Test(arguments: seeds)
    func `is after every edit what an array would be, and tells edits that turn any earlier state into it`(
        seed: UInt64
    ) throws {
        var random = Seeded(seed)
        let harness = try GraphHarness()
        let (cell, output) = harness.list([Row]())
        output.source.commitInitialValue()
        var model = RandomRows()
        var past: [(step: Int, rows: [Row])] = [(harness.graph.sequence, [])]
        for _ in 0..<300 {
            harness.step {
                for _ in 0..<Int.random(in: 0...3, using: &random) { model.edit(cell, using: &random) }
            }
            #expect(cell.value == model.rows)
            #expect(cell.count == model.rows.count)
            past.append((harness.graph.sequence, model.rows))
            let earlier = past.suffix(20).randomElement(using: &random) ?? past[0]
            let edits = try #require(try output.source.edits(since: earlier.step))
            var rows = try earlier.rows.map { try harness.graph.encode($0) }
            rows.apply(edits)
            #expect(rows == (try model.rows.map { try harness.graph.encode($0) }))
            expectOrigins(
                output.source.origins(of: model.rows.indices, since: earlier.step),
                of: model.rows,
                earlier.rows,
                edits
            )
            // Between two look-ups are several edits.
            if Bool.random(using: &random) { continue }
            for id in 0..<40 { #expect(cell.index(of: id) == model.rows.firstIndex { $0.id == id }) }
        }
    }

    /// Expects the places that rows had at an earlier step, which are known unless there were many edits.
    private func expectOrigins(
        _ origins: [Int?]?,
        of rows: [Row],
        _ earlier: [Row],
        _ edits: [ListEdit<[UInt8]>]
    ) {
        guard let origins else {
            #expect(edits.count > 32)
            return
        }
        for (row, origin) in zip(rows, origins) {
            if let origin { #expect(row == earlier[origin]) }
        }
        let new = edits.count { edit in
            switch edit {
            case .insert, .replace: true
            case .remove, .move: false
            }
        }
        #expect(origins.count { $0 == nil } <= new)
    }

    @Test(arguments: seeds)
    func `finds the rows of a long list after any number of single edits`(seed: UInt64) throws {
        var random = Seeded(seed)
        let harness = try GraphHarness()
        let (cell, _) = harness.list([Row]())
        var model = RandomRows()
        harness.step {
            for _ in 0..<400 { model.edit(cell, kinds: 0..<1, using: &random) }
        }
        for number in 0..<1000 {
            harness.step { model.edit(cell, kinds: RandomRows.single, using: &random) }
            let id = model.rows.randomElement(using: &random)?.id ?? 0
            #expect(cell.index(of: id) == model.rows.firstIndex { $0.id == id })
            guard number % 100 == 0 else { continue }
            for (index, row) in model.rows.enumerated() { #expect(cell.index(of: row.id) == index) }
        }
    }

    @Test func `knows no edits that are too long ago`() throws {
        let harness = try GraphHarness()
        let (cell, output) = harness.list([Row]())
        output.source.commitInitialValue()
        let start = harness.graph.sequence
        for number in 0..<3000 {
            harness.step { cell.append(Row(id: number, text: "")) }
        }
        #expect(try output.source.edits(since: start) == nil)
        // The log has dropped its oldest 1,024 edits once, when it had 2,048.
        #expect(try output.source.edits(since: start + 1023) == nil)
        #expect(try output.source.edits(since: start + 1024)?.count == 3000 - 1024)
        #expect(try output.source.edits(since: harness.graph.sequence - 1024)?.count == 1024)
        #expect(try output.source.edits(since: harness.graph.sequence)?.isEmpty == true)
    }

    @Test func `tells no edits where so much came at once that the list itself is shorter`() throws {
        let harness = try GraphHarness()
        let (cell, output) = harness.list([Row]())
        output.source.commitInitialValue()
        let start = harness.graph.sequence
        harness.step { cell.append(contentsOf: (0..<5000).map { Row(id: $0, text: "") }) }
        #expect(try output.source.edits(since: start) == nil)
        #expect(output.source.changedAt == start + 1)
        harness.step { cell.removeAll { $0.id >= 2 } }
        #expect(try output.source.edits(since: start + 1) == nil)
        #expect(cell.count == 2)
    }

    @Test func `notifies no dependent of an edit that changes nothing`() throws {
        let harness = try GraphHarness()
        let rows = (0..<3).map { Row(id: $0, text: "") }
        let (cell, output) = harness.list(rows)
        output.source.commitInitialValue()
        let before = harness.graph.sequence
        harness.step {
            cell.replace(rows[1], at: 1)
            cell.move(from: 1, to: 1)
            cell.replaceAll(with: rows)
            cell.removeAll { _ in false }
            cell.append(contentsOf: [])
        }
        #expect(harness.graph.sequence == before)
    }

    @Test func `that came back to what it was changes nothing`() throws {
        let harness = try GraphHarness()
        let (cell, output) = harness.list((0..<3).map { Row(id: $0, text: "") })
        output.source.commitInitialValue()
        let before = harness.graph.sequence
        harness.step {
            cell.append(Row(id: 9, text: ""))
            cell.move(from: 0, to: 2)
            cell.replace(Row(id: 2, text: "x"), at: 1)
            cell.replace(Row(id: 2, text: ""), at: 1)
            cell.move(from: 2, to: 0)
            cell.remove(at: 3)
        }
        #expect(harness.graph.sequence == before)
        harness.step { cell.append(Row(id: 9, text: "")) }
        #expect(try output.source.edits(since: before)?.count == 1)
        harness.step { cell.remove(at: 3) }
        #expect(try output.source.edits(since: before)?.isEmpty == true)
    }

    @Test func `has one row of an id, whatever is assigned to another`() throws {
        let harness = try GraphHarness()
        let (cell, _) = harness.list((1...3).map { Row(id: $0, text: "") })
        harness.step { cell[id: 1] = Row(id: 3, text: "x") }
        #expect(cell.value == [Row(id: 3, text: "x"), Row(id: 2, text: "")])
        harness.step { cell[id: 2] = Row(id: 9, text: "y") }
        #expect(cell.value == [Row(id: 3, text: "x"), Row(id: 9, text: "y")])
        let refusal = InvalidValue(path: "/id", expected: "the id of a row", found: "7")
        #expect(throws: refusal) { try cell.remove(id: 7, at: "/id") }
        #expect(throws: refusal) { try cell.update(id: 7, at: "/id") { $0.text = "" } }
        #expect(throws: refusal) { try cell.move(id: 7, to: 0, at: "/id") }
        for index in [-1, 2] {
            #expect(throws: InvalidValue(expected: "an index from 0 to 1", found: "\(index)")) {
                try cell.move(id: 9, to: index)
            }
        }
        try harness.step { try cell.move(id: 9, to: 0) }
        #expect(cell.map(\.id) == [9, 3])
    }

    @Test func `is a source of derived values by count, row, index and value`() throws {
        let harness = try GraphHarness()
        let (cell, output) = harness.list([Row(id: 1, text: "a")])
        let (count, first, place) = harness.wire {
            (Output { cell.count }, Output { cell.count > 0 ? cell[0].text : "" }, Output { cell.index(of: 1) ?? -1 })
        }
        for output in [output.source, count, first, place] as [AnyOutput] { output.commitInitialValue() }
        harness.step { cell.insert(Row(id: 2, text: "b"), at: 0) }
        #expect(count.value == 2)
        #expect(first.value == "b")
        #expect(place.value == 1)
        harness.step { cell.removeAll { _ in true } }
        #expect(first.value == "")
        #expect(place.value == -1)
    }
}
