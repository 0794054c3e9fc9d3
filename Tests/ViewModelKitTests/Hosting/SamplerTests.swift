import Testing
import ViewModelKit

@Suite struct SamplerTests {
    @Test func `measures while something is bound, and not a moment longer`() throws {
        let harness = try GraphHarness()
        var count = 0
        let sampler = harness.wire {
            Sampler(clock: SessionClock(graph: harness.graph), every: .seconds(1)) { count += 1 }
        }
        harness.step { sampler.bindingsChanged(to: 2) }
        harness.advance(by: .seconds(3))
        #expect(count == 3)
        harness.step { sampler.bindingsChanged(to: 1) }
        harness.advance(by: .seconds(1))
        #expect(count == 4)
        harness.step { sampler.bindingsChanged(to: 0) }
        #expect(harness.nextTimer == nil)
        harness.advance(by: .seconds(3))
        #expect(count == 4)
    }
}
