/// A load of changes to a session with many subscribers.
///
/// A change is sent after all have received the previous one.
struct FanOut {
    let subscribers: Int
    /// The number of connections that subscribe and never read.
    var stalled = 0

    /// The condition that ends a measurement.
    enum Extent {
        case seconds(Double)
        case changes(Int)
    }

    /// Measures the time from a change until all subscribers have received it, and the server's CPU time per
    /// notification.
    ///
    /// The measurement fails unless each subscriber gets each change once and complete (`double` is twice `value`), in
    /// the step that the reply names.
    func measure(_ server: ServerProcess, _ extent: Extent) throws -> Sample {
        let silent = try (0..<stalled).map { _ in try server.connect(server.dialect.subscribe) }
        let readers = try (0..<subscribers).map { _ in try server.connect(server.dialect.subscribe) }
        let publisher = try server.connect(server.dialect.publish)
        let poller = Poller(readers + [publisher])
        var sample = Sample()
        var change = 0
        var step = 0
        var reply = 0
        var seen = 0
        func make() throws {
            change += 1
            seen = 0
            reply = 0
            publisher.add(server.dialect.change, number: change)
            try publisher.flush()
            while seen < subscribers || reply == 0 {
                try poller.wait { index in
                    let isPublisher = index == subscribers
                    try (isPublisher ? publisher : readers[index]).receive { line in
                        if isPublisher {
                            guard !line.isError else { throw BenchFailure("the server refuses: \(line.text)") }
                            reply = line.number(after: #""seq":"#) ?? step + 1
                        } else {
                            try check(line, value: change)
                            let sequence = line.number(after: #""seq":"#) ?? 0
                            guard sequence > step else { throw BenchFailure("a step out of order: \(line.text)") }
                            seen += 1
                            sample.notificationBytes += line.length
                            if seen == subscribers { step = sequence }
                        }
                    }
                }
            }
            guard !server.dialect.keepsValues || reply == step else {
                throw BenchFailure("the reply names step \(reply), the frames step \(step)")
            }
        }
        for _ in 0..<20 { try make() }
        let cpu = server.processorTime
        let begin = nanoseconds()
        var now = begin
        let first = change
        func isDone() -> Bool {
            switch extent {
            case .seconds(let seconds): now - begin >= UInt64(seconds * 1e9)
            case .changes(let count): change - first >= count
            }
        }
        while !isDone() {
            let start = now
            try make()
            now = nanoseconds()
            sample.add(latency: now - start)
        }
        sample.duration = now - begin
        sample.processorTime = server.processorTime - cpu
        sample.operations = (change - first) * subscribers
        withExtendedLifetime(silent) {}
        return sample
    }

    private func check(_ line: Line, value: Int) throws {
        guard line.isNotification, line.number(after: #""value":"#) == value,
            line.number(after: #""double":"#) == 2 * value
        else { throw BenchFailure("not the whole change to \(value): \(line.text)") }
    }
}
