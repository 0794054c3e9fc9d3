import CoreMetrics
import DequeModule
import NIOCore
import ViewModelHost

/// The state that the connections of one event loop share: unsent messages, turns, reusable buffers and metrics.
///
/// Isolation: confined to the event loop.
final class LoopState {
    @exclusivity(unchecked) var traffic = TrafficCounters()
    /// The bytes that are held for each user of this loop.
    let users: UserBytes
    private let eventLoop: any EventLoop
    @exclusivity(unchecked) private var unflushed: [Connection] = []
    @exclusivity(unchecked) private var isInBurst = false
    @exclusivity(unchecked) private var isFlushing = false
    @exclusivity(unchecked) private var isScheduled = false
    @exclusivity(unchecked) private var buffers: [[UInt8]] = []

    /// A buffer with more capacity than this is not kept for reuse, and at most `mostBuffers` buffers are kept.
    private static let reusableBytes = 4 << 10
    private static let mostBuffers = 128

    /// The connections that wait for their next turn, in order.
    private var queue: Deque<Connection> = []
    private var isTurnScheduled = false
    /// Runs work after the loop has polled its sockets.
    let signal: PollSignal

    init(_ eventLoop: any EventLoop, limits: @escaping () -> HostConfiguration.Limits) {
        self.eventLoop = eventLoop
        users = UserBytes(eventLoop, limits: limits)
        signal = PollSignal(eventLoop)
    }

    // MARK: Turns

    /// The length of the next turn: 10 ms divided by one plus the number of waiting connections, at least 1 ms.
    var turnLength: Duration { max(RPCPeer.longestTurn / (1 + queue.count), .milliseconds(1)) }

    /// Queues a connection for another turn, behind those that wait already.
    ///
    /// The loop polls its sockets between two turns. A connection that waits for a turn must not be queued again.
    func waitForTurn(_ connection: Connection) {
        queue.append(connection)
        scheduleTurn()
    }

    private func scheduleTurn() {
        guard !isTurnScheduled, !queue.isEmpty else { return }
        isTurnScheduled = true
        signal.afterPoll { [self] in startNextTurn() }
    }

    private func startNextTurn() {
        isTurnScheduled = false
        queue.popFirst()?.runTurn()
        scheduleTurn()
    }

    // MARK: Bursts

    /// Runs `body`, then sends all messages that it caused, with one write per connection.
    func burst(_ body: () -> Void) {
        isInBurst = true
        body()
        isInBurst = false
        flush()
    }

    /// Queues a connection that has messages to send at the end of this burst or tick.
    func flushLater(_ connection: Connection) {
        unflushed.append(connection)
        guard !isInBurst, !isFlushing, !isScheduled else { return }
        isScheduled = true
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute {
            bound.value.isScheduled = false
            bound.value.flush()
        }
    }

    /// Returns an empty buffer, with capacity if one was kept.
    ///
    /// A connection without unsent bytes holds no buffer.
    func borrowBuffer() -> [UInt8] {
        buffers.popLast() ?? []
    }

    /// Keeps a buffer that was sent for reuse, unless it is too large or enough are kept.
    func returnBuffer(_ buffer: inout [UInt8]) {
        guard buffer.capacity <= Self.reusableBytes, buffers.count < Self.mostBuffers else { return }
        buffer.removeAll(keepingCapacity: true)
        buffers.append(buffer)
    }

    private func flush() {
        guard !isFlushing else { return }
        isFlushing = true
        // Flushing can make a connection writable. Its frames then extend the list.
        var index = 0
        while index < unflushed.count {
            unflushed[index].flush()
            index += 1
        }
        // The list mostly has one entry, for which `popLast` is cheaper than `removeAll`.
        while unflushed.popLast() != nil {}
        isFlushing = false
        traffic.publish()
    }
}

/// The metrics of the connections of one event loop: received and sent bytes, and the backlog.
///
/// Bytes are summed here and published once per burst. `CounterHandler` avoids the generic number conversion of
/// `Counter`.
struct TrafficCounters {
    var receivedBytes = 0
    /// Bytes written to sockets.
    var sentBytes = 0
    /// Unsent bytes of the connections whose backlog exceeds ``ConnectionStateMachine/frameBudget``.
    let backlog = Meter(label: "viewmodeld_backlog_bytes")
    private let received = Self.counter("viewmodeld_received_bytes_total")
    private let sent = Self.counter("viewmodeld_sent_bytes_total")

    /// Adds the sums to the metrics and resets them.
    mutating func publish() {
        if receivedBytes > 0 { received.increment(by: Int64(receivedBytes)) }
        if sentBytes > 0 { sent.increment(by: Int64(sentBytes)) }
        (receivedBytes, sentBytes) = (0, 0)
    }

    private static func counter(_ label: String) -> any CounterHandler {
        MetricsSystem.factory.makeCounter(label: label, dimensions: [])
    }
}
