import Testing
import ViewModelKit
import ViewModelTesting

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

/// Shows the level of a microphone, which changes more often than clients need.
@ViewModel
private final class Meter {
    @Output(every: .milliseconds(100)) var level: Int { measured }
    private var measured = 0

    @Input func measure(_ level: Int) { measured = level }
}

@Suite struct `A sampled output of a plain variable` {
    @Test func `limits the rate of its changes`() throws {
        let meter = try Harness(Meter.self)
        let frames = try meter.frames {
            for level in 1...50 {
                try meter.send(\.inputs.measure, level)
                meter.advance(by: .milliseconds(10))
            }
        }
        #expect(frames.map(\.values) == [10, 20, 30, 40, 50].map { ["level": .integer($0)] })
    }
}
