import Testing

@testable import ViewModelHost

@Suite struct `The pace of refusals` {
    @Test func `is twenty at once, and then one in 50 ms`() {
        var pace = RefusalPace()
        let now = Duration.seconds(100)
        for _ in 0...20 { #expect(pace.delay(at: now) == .zero) }
        for number in 1...10 { #expect(pace.delay(at: now) == .milliseconds(50) * number) }
        // A client that waits for each reply stays in the pace.
        var time = now + .milliseconds(500)
        for _ in 0..<10 {
            let delay = pace.delay(at: time)
            #expect(delay == .milliseconds(50))
            time += delay
        }
    }

    @Test func `is a second at most, and forgotten after a pause`() {
        var pace = RefusalPace()
        var longest = Duration.zero
        for _ in 0..<1000 { longest = max(longest, pace.delay(at: .zero)) }
        #expect(longest == .seconds(1))
        for _ in 0..<20 { #expect(pace.delay(at: .seconds(10)) == .zero) }
    }
}
