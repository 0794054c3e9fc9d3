import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `A cell` {
    @Test func `is changed in place without a copy`() throws {
        let harness = try GraphHarness()
        let cell = harness.wire { Cell(Array(0..<1000)) }
        harness.step {
            cell.value.append(0)
            let before = cell.value.withUnsafeBufferPointer { $0.baseAddress }
            for number in 0..<10 { cell.value[number] = 1 }
            #expect(cell.value.withUnsafeBufferPointer { $0.baseAddress } == before)
            #expect(cell.update { $0.removeLast() } == 0)
        }
        #expect(cell.value.count == 1000)
        #expect(cell.value[9] == 1)
    }

    @Test func `ends its session and keeps its value when it is written outside of a step`() throws {
        let harness = try GraphHarness()
        let (cell, list) = harness.wire { (Cell([1]), ListCell([Row(id: 1, text: "a")])) }
        cell.value = [2]
        cell.value.append(3)
        #expect(cell.update { $0.count } == 1)
        list.append(Row(id: 2, text: "b"))
        #expect(cell.value == [1])
        #expect(list.value.count == 1)
        #expect(harness.sessionEnd == "failed")
    }

    @Test func `ends its session and keeps its value when another thread writes it`() async throws {
        let harness = try GraphHarness()
        let cell = harness.wire { Cell(1) }
        // The mistake that no compiler flag and no review keeps an author from.
        nonisolated(unsafe) let shared = cell
        await Task.detached { shared.value = 2 }.value
        #expect(cell.value == 1)
        #expect(harness.sessionEnd == "failed")
    }

    @Test func `ends its session when it is used while its value is changed in place`() throws {
        let uses: [(Cell<[Int]>) -> Void] = [
            { #expect($0.value.isEmpty, "the simplest value of its type") }, { $0.value = [7] }, { $0.value.append(7) },
        ]
        for use in uses {
            let harness = try GraphHarness()
            let (cell, other) = harness.wire { (Cell([1]), Cell(1)) }
            harness.step {
                cell.update { value in
                    use(cell)
                    value.append(2)
                }
                other.value = 2
            }
            #expect(cell.value == [1, 2])
            #expect(other.value == 1, "Nothing is written after a mistake")
            #expect(harness.sessionEnd == "failed")
        }
    }

    @Test func `of a type without a schema stops the process when it is used while it is changed in place`() async {
        await #expect(processExitsWith: .failure) {
            let harness = try GraphHarness()
            let cell = harness.wire { Cell(ContinuousClock.now) }
            harness.step { cell.update { value in value += .seconds(cell.value == value ? 1 : 2) } }
        }
    }

    @Test func `is usable again after a change in place that failed`() throws {
        struct Refusal: Error {}
        let harness = try GraphHarness()
        let cell = harness.wire { Cell([1]) }
        #expect(throws: Refusal.self) {
            try harness.step {
                try cell.update { value in
                    value.append(2)
                    throw Refusal()
                }
            }
        }
        #expect(cell.value == [1, 2])
    }

    @Test func `ends the session in whose step it is made`() throws {
        let harness = try GraphHarness()
        harness.step { _ = Cell(1) }
        #expect(harness.sessionEnd == "failed")
    }

    @Test func `stops the process when it is made outside of a session`() async {
        await #expect(processExitsWith: .failure) {
            _ = Cell(1)
        }
    }
}
