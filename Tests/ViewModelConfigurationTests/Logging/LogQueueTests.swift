import Dispatch
import Logging
import Testing

@testable import ViewModelConfiguration

/// The queue between those who log and a slow or stuck reader.
@Suite struct LogQueueTests {
    private let lines = WrittenLines()
    /// Closed while the reader of the log is stuck.
    private let door = DispatchSemaphore(value: 0)

    private func queue(capacity: Int = 8) -> LogQueue {
        LogQueue(
            { [door, lines] record, mayBlock in
                guard door.wait(timeout: mayBlock ? .distantFuture : .now()) == .success else { return false }
                lines.add(record.priorityLine)
                door.signal()
                return true
            },
            level: .info,
            capacity: capacity
        )
    }

    private func add(_ text: String, to queue: LogQueue) {
        queue.add(LogRecord(level: .info, message: text, metadata: [:]))
    }

    @Test func `records come out in the order in which they went in`() {
        let queue = queue()
        for number in 0..<8 { add("\(number)", to: queue) }
        door.signal()
        #expect(queue.flush(atMost: .seconds(20)))
        #expect(lines.all == (0..<8).map { "<6>\($0)" })
    }

    @Test func `what need not wait is written when it has been added`() {
        let queue = queue()
        door.signal()
        for number in 0..<8 { add("\(number)", to: queue) }
        #expect(lines.all == (0..<8).map { "<6>\($0)" })
    }

    @Test func `what need not wait stays behind what has to`() {
        let queue = queue()
        add("first", to: queue)
        door.signal()
        add("second", to: queue)
        #expect(queue.flush(atMost: .seconds(20)))
        #expect(lines.all == ["<6>first", "<6>second"])
    }

    @Test func `what has no room is dropped, and counted in one line`() {
        let queue = queue()
        for number in 0..<20 { add("\(number)", to: queue) }
        door.signal()
        #expect(queue.flush(atMost: .seconds(20)))
        add("after", to: queue)
        #expect(queue.flush(atMost: .seconds(20)))
        let drops = lines.all.filter { $0.contains("dropped") }
        #expect(drops == ["<4>Log records were dropped because the output was blocked count=12"])
        #expect(lines.all.filter { !$0.contains("dropped") } == (0..<8).map { "<6>\($0)" } + ["<6>after"])
    }

    @Test func `a flush does not wait for ever for a reader that is stuck`() {
        let queue = queue()
        add("x", to: queue)
        #expect(!queue.flush(atMost: .milliseconds(10)))
        door.signal()
        #expect(queue.flush(atMost: .seconds(20)))
    }

    @Test func `all copies of a logger obey the switch, and one with a level of its own does not`() {
        let queue = queue(capacity: 100)
        door.signal()
        let logger = Logger(label: "test") { _ in QueuedLogHandler(queue: queue) }
        var copy = logger
        copy[metadataKey: "copy"] = "1"
        var own = logger
        own.logLevel = .error
        func tell(_ round: Int) {
            for logger in [logger, copy, own] { logger.debug("Round \(round)") }
        }
        tell(1)
        queue.level = .debug
        tell(2)
        queue.level = .warning
        tell(3)
        #expect(queue.flush(atMost: .seconds(20)))
        #expect(lines.all == ["<7>Round 2", "<7>Round 2 copy=1"])
    }

    @Test func `an output can be changed while others log`() {
        let queue = queue()
        door.signal()
        add("first", to: queue)
        queue.setOutput { [lines] record, mayBlock in
            if mayBlock { lines.add(record.jsonLine) }
            return mayBlock
        }
        add("second", to: queue)
        #expect(queue.flush(atMost: .seconds(20)))
        #expect(lines.all.first == "<6>first" && lines.all.last?.contains("\"message\":\"second\"") == true)
    }
}
