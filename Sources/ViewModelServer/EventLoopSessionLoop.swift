import DequeModule
package import NIOCore
import ViewModelHost
import ViewModelKit

/// An event loop as the place where sessions live.
final class EventLoopSessionLoop: SessionLoop {
    let eventLoop: any EventLoop
    /// What the connections of this loop share; confined to it.
    let state: NIOLoopBound<LoopState>

    /// Makes the session loop of an event loop; called on it.
    ///
    /// - Parameter limits: what holds now.
    init(_ eventLoop: any EventLoop, limits: @escaping () -> HostConfiguration.Limits) {
        self.eventLoop = eventLoop
        state = NIOLoopBound(LoopState(eventLoop, limits: limits), eventLoop: eventLoop)
    }

    var isCurrent: Bool { eventLoop.inEventLoop }

    var now: Duration { .nanoseconds(Int64(clamping: NIODeadline.now().uptimeNanoseconds)) }

    func execute(_ work: @escaping @Sendable () -> Void) {
        eventLoop.execute(work)
    }

    func count(heldBytes change: Int, of uid: UInt32) {
        state.value.users.count(change, of: uid, by: nil)
    }

    func heldBytes(of uid: UInt32) -> Int { state.value.users.held(by: uid) }

    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any ScheduledWork {
        EventLoopWork(scheduled: eventLoop.scheduleTask(in: TimeAmount(clamping: delay), work))
    }
}

private struct EventLoopWork: ScheduledWork {
    let scheduled: Scheduled<Void>

    func cancel() { scheduled.cancel() }
}

extension TimeAmount {
    /// The longest that is waited for: a century, well within what nanoseconds can count.
    private static var longest: Duration { .seconds(100 * 365 * 86400) }

    /// The nearest delay that a deadline can still be counted in.
    package init(clamping duration: Duration) {
        let (seconds, attoseconds) = min(max(duration, .zero), Self.longest).components
        self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}

/// What the connections of one event loop share: which of them have something to send.
///
/// Isolation: confined to the event loop.
final class LoopState {
    @exclusivity(unchecked) var traffic = TrafficCounters()
    /// What is held for each user.
    let users: UserBytes
    private let eventLoop: any EventLoop
    @exclusivity(unchecked) private var unflushed: [Connection] = []
    @exclusivity(unchecked) private var isReading = false
    @exclusivity(unchecked) private var isFlushing = false
    @exclusivity(unchecked) private var isScheduled = false
    @exclusivity(unchecked) private var spareBuffers: [[UInt8]] = []

    /// More than this of a buffer, or so many buffers, are not kept.
    private static let spareBytes = 4 << 10
    private static let spareCount = 128

    /// Connections that wait for their next turn.
    private var queue: Deque<Connection> = []
    private var isTurnScheduled = false
    /// What runs after the loop has looked at its sockets.
    let signal: PollSignal

    init(_ eventLoop: any EventLoop, limits: @escaping () -> HostConfiguration.Limits) {
        self.eventLoop = eventLoop
        users = UserBytes(eventLoop, limits: limits)
        signal = PollSignal(eventLoop)
    }

    // MARK: Turns

    /// How long the messages of one connection are worked on at a stretch: the less, the more connections wait.
    var turnLength: Duration { max(RPCPeer.longestTurn / (1 + queue.count), .milliseconds(1)) }

    /// Gives a connection another turn behind those that wait already.
    ///
    /// Between two turns the loop looks at its sockets.
    func waitForTurn(_ connection: Connection) {
        guard !connection.isQueued else { return }
        connection.isQueued = true
        queue.append(connection)
        scheduleTurn()
    }

    private func scheduleTurn() {
        guard !isTurnScheduled, !queue.isEmpty else { return }
        isTurnScheduled = true
        signal.afterPoll { [unowned self] in giveTurn() }
    }

    private func giveTurn() {
        isTurnScheduled = false
        if let connection = queue.popFirst() {
            connection.isQueued = false
            connection.takeTurn()
        }
        scheduleTurn()
    }

    // MARK: Bursts

    /// Runs a burst of reading, then sends what it caused, one write a connection.
    func burst(_ body: () -> Void) {
        isReading = true
        body()
        isReading = false
        flush()
    }

    /// Takes note that a connection has something to send at the end of this burst or tick.
    func flushLater(_ connection: Connection) {
        unflushed.append(connection)
        guard !isReading, !isFlushing, !isScheduled else { return }
        isScheduled = true
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute {
            bound.value.isScheduled = false
            bound.value.flush()
        }
    }

    /// An empty buffer, with room where one is at hand; a connection that has nothing to send holds none.
    func takeBuffer() -> [UInt8] {
        spareBuffers.popLast() ?? []
    }

    /// Takes a buffer that was sent.
    func giveBack(_ buffer: inout [UInt8]) {
        guard buffer.capacity <= Self.spareBytes, spareBuffers.count < Self.spareCount else { return }
        buffer.removeAll(keepingCapacity: true)
        spareBuffers.append(buffer)
    }

    private func flush() {
        guard !isFlushing else { return }
        isFlushing = true
        // Flushing can make a connection writable, whose frames then join the list.
        var index = 0
        while index < unflushed.count {
            unflushed[index].flush()
            index += 1
        }
        // Mostly one: less work than `removeAll`.
        while unflushed.popLast() != nil {}
        isFlushing = false
        traffic.tell()
    }
}
