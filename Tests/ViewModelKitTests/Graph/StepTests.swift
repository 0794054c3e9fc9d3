import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `A step` {
    @Test func `within a step is a part of it`() throws {
        let bench = try Bench()
        let (cell, output) = bench.wire { () -> (Cell<Int>, Output<Int>) in
            let cell = Cell(0)
            return (cell, Output(cell))
        }
        output.commitInitialValue()
        let before = bench.graph.sequence
        bench.step {
            cell.value = 1
            bench.graph.step { cell.value = 2 }
            #expect(bench.graph.sequence == before)
            cell.value = 3
        }
        #expect(bench.graph.sequence == before + 1)
    }

    @Test func `commits before the inputs that were sent in it are applied, each in a step of its own`() throws {
        let bench = try Bench()
        var log: [String] = []
        let (first, second, cell, output) = bench.wire {
            () -> (Input<Int>, Input<Int>, Cell<Int>, Output<Int>) in
            let cell = Cell(0)
            return (Input<Int>(), Input<Int>(), cell, Output(cell))
        }
        output.commitInitialValue()
        let before = bench.graph.sequence
        second.sink { value in
            log.append("second \(value) at \(bench.graph.sequence - before)")
            cell.value += 1
        }
        first.sink { value in
            log.append("first \(value) at \(bench.graph.sequence - before)")
            cell.value += 1
            second.send(value + 1)
            second.send(value + 2)
            if value < 3 { first.send(value + 10) }
            log.append("first \(value) ends")
        }
        bench.step { first.send(1) }
        #expect(
            log == [
                "first 1 at 0", "first 1 ends", "second 2 at 1", "second 3 at 2", "first 11 at 3", "first 11 ends",
                "second 12 at 4", "second 13 at 5",
            ]
        )
        #expect(bench.graph.sequence == before + 6)
    }

    @Test func `without a change has no number`() throws {
        let bench = try Bench()
        let before = bench.graph.sequence
        bench.step {}
        #expect(bench.graph.sequence == before)
    }

    @Test func `runs what waited for its commit when its number is known`() throws {
        let bench = try Bench()
        let (cell, output) = bench.wire { () -> (Cell<Int>, Output<Int>) in
            let cell = Cell(0)
            return (cell, Output(cell))
        }
        output.commitInitialValue()
        let before = bench.graph.sequence
        var seen: [Int] = []
        bench.step {
            bench.graph.afterCommit { seen.append(bench.graph.sequence - before) }
            cell.value = 1
            #expect(seen.isEmpty)
        }
        #expect(seen == [1])
    }

    @Test func `commits what its epilogue changes, in a step of its own`() throws {
        let bench = try Bench()
        let (cell, output) = bench.wire { () -> (Cell<Int>, Output<Int>) in
            let cell = Cell(0)
            return (cell, Output(cell))
        }
        output.commitInitialValue()
        let before = bench.graph.sequence
        var seen: [Int] = []
        bench.step {
            cell.value = 1
            bench.graph.afterCommit {
                bench.graph.step { cell.value = 2 }
                bench.graph.afterCommit { seen.append(bench.graph.sequence - before) }
            }
        }
        #expect(bench.graph.sequence == before + 2)
        #expect(seen == [2])
    }

    @Test func `in which an error is thrown commits what was written before`() throws {
        let bench = try Bench()
        let (cell, output) = bench.wire { () -> (Cell<Int>, Output<Int>) in
            let cell = Cell(0)
            return (cell, Output(cell))
        }
        output.commitInitialValue()
        let before = bench.graph.sequence
        #expect(throws: Accident.self) {
            try bench.step {
                cell.value = 1
                throw Accident()
            }
        }
        #expect(bench.graph.sequence == before + 1)
    }
}
