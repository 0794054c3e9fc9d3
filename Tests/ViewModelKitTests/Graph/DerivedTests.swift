import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `A derived value` {
    @Test func `is computed when it is read, and not before, and not by a step without a reader`() throws {
        let harness = try GraphHarness()
        var runs = 0
        let cell = harness.wire { Cell(1) }
        let double = cell.map { value in
            runs += 1
            return value * 2
        }
        #expect(runs == 0)
        #expect(double.value == 2)
        #expect(double.value == 2)
        #expect(runs == 1)
        harness.step { cell.value = 2 }
        harness.step { cell.value = 3 }
        #expect(runs == 1)
        #expect(double.value == 6)
        #expect(runs == 2)
    }

    @Test func `that stays equal notifies no dependent`() throws {
        let harness = try GraphHarness()
        var runs = 0
        let (cell, output) = harness.wire {
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
        harness.step { cell.value = 5 }
        #expect(runs == 1)
        harness.step { cell.value = -5 }
        #expect(runs == 2)
        #expect(output.value == "negative")
    }

    @Test func `that cannot be compared counts every change of its sources`() throws {
        struct Opaque {
            var number: Int
        }
        let harness = try GraphHarness()
        let (cell, output) = harness.wire {
            let cell = Cell(1)
            let opaque = cell.map { Opaque(number: $0 / 10) }
            return (cell, Output { opaque.value.number })
        }
        output.commitInitialValue()
        let before = harness.graph.sequence
        harness.step { cell.value = 2 }
        #expect(harness.graph.sequence == before)
        harness.step { cell.value = 20 }
        #expect(output.value == 2)
        #expect(harness.graph.sequence == before + 1)
    }

    @Test func `gives up the source that it reads no longer`() throws {
        let harness = try GraphHarness()
        var runs = 0
        let (condition, left, right, output) = harness.wire {
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
        harness.step { condition.value = false }
        #expect(left.dependentCount == 0)
        #expect(right.dependentCount == 1)
        runs = 0
        harness.step { left.value = 100 }
        #expect(runs == 0)
        harness.step { right.value = 3 }
        #expect(output.value == 3)
    }

    @Test func `gives up the sources that a shorter run has not come to`() throws {
        let harness = try GraphHarness()
        var runs = 0
        let (condition, source, output) = harness.wire {
            let condition = Cell(true), source = Cell(1)
            return (
                condition, source,
                Output {
                    runs += 1; return condition.value ? source.value : 0
                }
            )
        }
        output.commitInitialValue()
        harness.step { condition.value = false }
        #expect(source.dependentCount == 0)
        runs = 0
        harness.step { source.value = 2 }
        #expect(runs == 0)
    }

    @Test func `reads a source untracked without depending on it`() throws {
        let harness = try GraphHarness()
        let (tracked, untracked, output) = harness.wire {
            let tracked = Cell(1), untracked = Cell(10)
            return (tracked, untracked, Output { tracked.value + untracked.untracked })
        }
        output.commitInitialValue()
        harness.step { untracked.value = 20 }
        #expect(output.value == 11)
        harness.step { tracked.value = 2 }
        #expect(output.value == 22)
    }

    @Test func `of a pair changes once when both sides do`() throws {
        let harness = try GraphHarness()
        var seen: [String] = []
        let (left, right, output) = harness.wire {
            let left = Cell(1), right = Cell("a")
            let pair = left.combineLatest(right)
            let count = Output {
                seen.append("\(pair.value.0)\(pair.value.1)")
                return seen.count
            }
            return (left, right, count)
        }
        output.commitInitialValue()
        harness.step {
            left.value = 2
            right.value = "b"
        }
        #expect(seen == ["1a", "2b"])
    }

    @Test func `ends its session when it writes a cell, which keeps its value`() throws {
        let harness = try GraphHarness()
        let cell = harness.wire { Cell(1) }
        let derived = harness.wire {
            Derived {
                cell.value = 2
                return 0
            }
        }
        harness.step { _ = derived.value }
        #expect(cell.value == 1)
        #expect(harness.sessionEnd == "failed")
    }

    @Test func `ends its session when it sends an input outside of a step, which does nothing`() throws {
        let harness = try GraphHarness()
        var received: [Int] = []
        let derived = harness.wire {
            let input = Input<Int>()
            input.sink { received.append($0) }
            return Derived {
                input.send(2)
                return 1
            }
        }
        #expect(harness.wire { derived.value } == 1)
        #expect(received.isEmpty && harness.sessionEnd == "failed")
    }

    @Test func `ends its session when it reads itself before it has a value`() throws {
        let harness = try GraphHarness()
        var itself: Derived<Int>?
        let derived = harness.wire { Derived { (itself?.value ?? 5) + 1 } }
        itself = derived
        harness.step { #expect(derived.value == 1, "1 more than the simplest value of its type") }
        #expect(harness.sessionEnd == "failed")
    }
}
