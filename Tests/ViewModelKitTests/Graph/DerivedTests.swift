import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `A derived value` {
    @Test func `is computed when it is first read, and not before`() throws {
        let bench = try Bench()
        var runs = 0
        let cell = bench.wire { Cell(1) }
        let double = cell.map { value in
            runs += 1
            return value * 2
        }
        #expect(runs == 0)
        #expect(double.value == 2)
        #expect(double.value == 2)
        #expect(runs == 1)
    }

    @Test func `that nobody looks at is not computed by a step`() throws {
        let bench = try Bench()
        var runs = 0
        let cell = bench.wire { Cell(1) }
        let double = cell.map { value in
            runs += 1
            return value * 2
        }
        _ = double.value
        bench.step { cell.value = 2 }
        bench.step { cell.value = 3 }
        #expect(runs == 1)
        #expect(double.value == 6)
        #expect(runs == 2)
    }

    @Test func `that stays equal disturbs nobody behind it`() throws {
        let bench = try Bench()
        var runs = 0
        let (cell, output) = bench.wire {
            let cell = Cell(1)
            let sign = cell.map { $0 > 0 }
            return (
                cell,
                Output {
                    runs += 1; return sign.value ? "positive" : "negative"
                }
            )
        }
        output.commitInitialValue()
        bench.step { cell.value = 5 }
        #expect(runs == 1)
        bench.step { cell.value = -5 }
        #expect(runs == 2)
        #expect(output.value == "negative")
    }

    @Test func `that cannot be compared counts every change of its sources`() throws {
        struct Opaque {
            var number: Int
        }
        let bench = try Bench()
        let (cell, output) = bench.wire {
            let cell = Cell(1)
            let opaque = cell.map { Opaque(number: $0 / 10) }
            return (cell, Output { opaque.value.number })
        }
        output.commitInitialValue()
        let before = bench.graph.sequence
        bench.step { cell.value = 2 }
        #expect(bench.graph.sequence == before)
        bench.step { cell.value = 20 }
        #expect(output.value == 2)
        #expect(bench.graph.sequence == before + 1)
    }

    @Test func `gives up the source that it reads no longer`() throws {
        let bench = try Bench()
        var runs = 0
        let (condition, left, right, output) = bench.wire {
            let condition = Cell(true), left = Cell(1), right = Cell(2)
            let chosen = Output {
                runs += 1
                return condition.value ? left.value : right.value
            }
            return (condition, left, right, chosen)
        }
        output.commitInitialValue()
        #expect(left.dependentCount == 1)
        #expect(right.dependentCount == 0)
        bench.step { condition.value = false }
        #expect(left.dependentCount == 0)
        #expect(right.dependentCount == 1)
        runs = 0
        bench.step { left.value = 100 }
        #expect(runs == 0)
        bench.step { right.value = 3 }
        #expect(output.value == 3)
    }

    @Test func `gives up the sources that a shorter run has not come to`() throws {
        let bench = try Bench()
        var runs = 0
        let (condition, source, output) = bench.wire {
            let condition = Cell(true), source = Cell(1)
            return (
                condition, source,
                Output {
                    runs += 1; return condition.value ? source.value : 0
                }
            )
        }
        output.commitInitialValue()
        bench.step { condition.value = false }
        #expect(source.dependentCount == 0)
        runs = 0
        bench.step { source.value = 2 }
        #expect(runs == 0)
    }

    @Test func `reads a source untracked without depending on it`() throws {
        let bench = try Bench()
        let (tracked, untracked, output) = bench.wire {
            let tracked = Cell(1), untracked = Cell(10)
            return (tracked, untracked, Output { tracked.value + untracked.untracked })
        }
        output.commitInitialValue()
        bench.step { untracked.value = 20 }
        #expect(output.value == 11)
        bench.step { tracked.value = 2 }
        #expect(output.value == 22)
    }

    @Test func `of a pair changes once when both sides do`() throws {
        let bench = try Bench()
        var seen: [String] = []
        let (left, right, output) = bench.wire {
            let left = Cell(1), right = Cell("a")
            let pair = left.combineLatest(right)
            let count = Output {
                seen.append("\(pair.value.0)\(pair.value.1)")
                return seen.count
            }
            return (left, right, count)
        }
        output.commitInitialValue()
        bench.step {
            left.value = 2
            right.value = "b"
        }
        #expect(seen == ["1a", "2b"])
    }

    @Test func `ends its session when it writes a cell, which keeps its value`() throws {
        let bench = try Bench()
        let cell = bench.wire { Cell(1) }
        let derived = bench.wire {
            Derived {
                cell.value = 2
                return 0
            }
        }
        bench.step { _ = derived.value }
        #expect(cell.value == 1)
        #expect(bench.sessionEnd == "failed")
    }

    @Test func `stops the process when it reads itself`() async {
        await #expect(processExitsWith: .failure) {
            let bench = try Bench()
            var itself: Derived<Int>?
            let derived = bench.wire { Derived { (itself?.value ?? 0) + 1 } }
            itself = derived
            bench.step { _ = derived.value }
        }
    }
}
