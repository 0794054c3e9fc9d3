import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `A stream in time` {
    private let harness: GraphHarness
    private let numbers: Input<Int>
    private let log = Log()

    private final class Log {
        var values: [Int] = []
    }

    init() throws {
        harness = try GraphHarness()
        numbers = harness.wire { Input() }
    }

    private func watch(_ stream: ViewModelKit.Stream<Int>) {
        stream.sink { [log] in log.values.append($0) }
    }

    private func send(_ value: Int, then pause: Int = 0) {
        harness.step { numbers.send(value) }
        harness.advance(by: .milliseconds(pause))
    }

    @Test func `that is debounced emits the last of a burst when it has been quiet`() {
        watch(numbers.debounce(for: .milliseconds(100)))
        send(1, then: 99)
        send(2, then: 50)
        send(3, then: 99)
        #expect(log.values == [])
        harness.advance(by: .milliseconds(1))
        #expect(log.values == [3])
        harness.advance(by: .seconds(1))
        send(4, then: 100)
        #expect(log.values == [3, 4])
    }

    @Test func `that is debounced emits in a step of its own`() {
        let (cell, output) = harness.cell(0)
        numbers.debounce(for: .seconds(1)).assign(to: cell)
        let before = harness.graph.sequence
        send(7, then: 1000)
        #expect(output.changedAt == before + 1)
    }

    @Test func `that is throttled emits the first at once and the newest at the end of each interval`() {
        watch(numbers.throttle(for: .milliseconds(100)))
        send(1, then: 10)
        #expect(log.values == [1])
        send(2, then: 10)
        send(3, then: 79)
        #expect(log.values == [1])
        harness.advance(by: .milliseconds(1))
        #expect(log.values == [1, 3])
        send(4, then: 100)
        #expect(log.values == [1, 3, 4])
        harness.advance(by: .milliseconds(100))
        send(5)
        #expect(log.values == [1, 3, 4, 5])
    }

    @Test func `that is throttled to the oldest emits that at the end of an interval`() {
        watch(numbers.throttle(for: .milliseconds(100), latest: false))
        send(1)
        send(2)
        send(3, then: 100)
        #expect(log.values == [1, 2])
    }

    @Test func `never emits more often than it is throttled to`() {
        var times: [Duration] = []
        let clock = SessionClock(graph: harness.graph)
        numbers.throttle(for: .milliseconds(50)).sink { _ in times.append(clock.now) }
        for number in 0..<500 {
            send(number, then: number % 7)
        }
        harness.advance(by: .seconds(1))
        #expect(times.count > 10)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= .milliseconds(50) })
    }

    @Test func `ends its timers when it is released`() throws {
        let clock = SessionClock(graph: harness.graph)
        var fired = 0
        var timer: SessionTimer? = clock.timer(after: .seconds(1)) { fired += 1 }
        #expect(timer != nil)
        timer = nil
        harness.advance(by: .seconds(2))
        #expect(fired == 0)
        timer = clock.timer(after: .seconds(1)) { fired += 1 }
        timer?.cancel()
        harness.advance(by: .seconds(2))
        #expect(fired == 0)
        timer = clock.timer(after: .seconds(1)) { fired += 1 }
        harness.advance(by: .seconds(1))
        #expect(fired == 1)
    }

    @Test func `ends its timers with the session`() {
        let before = harness.nextTimer
        let timer = SessionClock(graph: harness.graph).timer(after: .milliseconds(1)) {}
        #expect(harness.nextTimer != before)
        harness.graph.close()
        #expect(harness.nextTimer == before)
        withExtendedLifetime(timer) {}
    }
}
