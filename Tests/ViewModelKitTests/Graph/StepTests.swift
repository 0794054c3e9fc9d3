import Testing
import ViewModelKit
import ViewModelTesting

@testable import Scenarios

@Suite struct `A step` {
    @Test func `within a step is a part of it`() throws {
        let harness = try GraphHarness()
        let (cell, _) = harness.cell(0)
        let before = harness.graph.sequence
        harness.step {
            cell.value = 1
            harness.graph.step { cell.value = 2 }
            #expect(harness.graph.sequence == before)
            cell.value = 3
        }
        #expect(harness.graph.sequence == before + 1)
    }

    @Test func `commits before the inputs that were sent in it are applied, each in a step of its own`() throws {
        let harness = try GraphHarness()
        var log: [String] = []
        let (first, second, cell, output) = harness.wire {
            () -> (Input<Int>, Input<Int>, Cell<Int>, Output<Int>) in
            let cell = Cell(0)
            return (Input<Int>(), Input<Int>(), cell, Output(cell))
        }
        output.commitInitialValue()
        let before = harness.graph.sequence
        second.sink { value in
            log.append("second \(value) at \(harness.graph.sequence - before)")
            cell.value += 1
        }
        first.sink { value in
            log.append("first \(value) at \(harness.graph.sequence - before)")
            cell.value += 1
            second.send(value + 1)
            second.send(value + 2)
            if value < 3 { first.send(value + 10) }
            log.append("first \(value) ends")
        }
        harness.step { first.send(1) }
        #expect(
            log == [
                "first 1 at 0", "first 1 ends", "second 2 at 1", "second 3 at 2", "first 11 at 3", "first 11 ends",
                "second 12 at 4", "second 13 at 5",
            ]
        )
        #expect(harness.graph.sequence == before + 6)
    }

    @Test func `runs what waited for its commit when its number is known`() throws {
        let harness = try GraphHarness()
        let (cell, _) = harness.cell(0)
        let before = harness.graph.sequence
        var seen: [Int] = []
        harness.step {
            harness.graph.afterCommit { seen.append(harness.graph.sequence - before) }
            cell.value = 1
            #expect(seen.isEmpty)
        }
        #expect(seen == [1])
    }

    @Test func `commits what its epilogue changes, in a step of its own`() throws {
        let harness = try GraphHarness()
        let (cell, _) = harness.cell(0)
        let before = harness.graph.sequence
        var seen: [Int] = []
        harness.step {
            cell.value = 1
            harness.graph.afterCommit {
                harness.graph.step { cell.value = 2 }
                harness.graph.afterCommit { seen.append(harness.graph.sequence - before) }
            }
        }
        #expect(harness.graph.sequence == before + 2)
        #expect(seen == [2])
    }

    @Test func `in which an error is thrown commits what was written before`() throws {
        let harness = try GraphHarness()
        let (cell, _) = harness.cell(0)
        let before = harness.graph.sequence
        #expect(throws: UnexpectedError.self) {
            try harness.step {
                cell.value = 1
                throw UnexpectedError()
            }
        }
        #expect(harness.graph.sequence == before + 1)
    }
}
