import Testing
import ViewModelProtocol

@Suite struct BackoffTests {
    @Test func `delays double up to their maximum, with jitter`() {
        var backoff = Backoff(maximum: .seconds(60))
        for nominal in [1, 2, 4, 8, 16, 32, 60, 60] {
            let delay = backoff.delay()
            #expect(delay >= .seconds(nominal) * 0.75 && delay <= min(.seconds(nominal) * 1.25, .seconds(60)))
        }
        backoff.reset()
        #expect(backoff.delay() < .seconds(2))
    }

    @Test func `a backend that asks for more time gets it, up to the maximum`() {
        var backoff = Backoff(maximum: .seconds(30))
        #expect(backoff.delay(atLeast: .seconds(20)) == .seconds(20))
        #expect(backoff.delay(atLeast: .seconds(100_000)) == .seconds(30))
    }

    @Test func `delays without jitter are exact`() {
        var backoff = Backoff(initial: .milliseconds(50), maximum: .seconds(1), jitter: 0)
        let delays = (0..<7).map { _ in backoff.delay() }
        #expect(delays == [50, 100, 200, 400, 800, 1000, 1000].map { Duration.milliseconds($0) })
    }
}
