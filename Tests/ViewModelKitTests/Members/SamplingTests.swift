import Testing
import ViewModelKit

@Suite struct `A sampled output` {
    @Test func `is computed again while it is bound and its condition holds, and has no timer otherwise`() throws {
        let harness = try GraphHarness()
        var computed = 0
        let (runs, output) = harness.wire {
            let runs = Cell(true)
            let output = Output(every: .seconds(1), while: runs) {
                computed += 1
                return computed
            }
            return (runs, output)
        }
        output.commitInitialValue()
        let idle = harness.nextTimer
        harness.advance(by: .seconds(5))
        #expect(computed == 1)
        harness.step { for _ in 1...2 { output.countBindings(1) } }
        harness.advance(by: .seconds(3))
        #expect(computed == 4)
        harness.step { output.countBindings(-1) }
        harness.advance(by: .seconds(1))
        #expect(computed == 5)
        harness.step { runs.value = false }
        #expect(harness.nextTimer == idle)
        harness.step { runs.value = true }
        #expect(harness.nextTimer != idle)
        harness.step { output.countBindings(-1) }
        #expect(harness.nextTimer == idle)
    }
}
