import Glibc
import NIOCore
import Synchronization
import ViewModelHost
import ViewModelProtocol

/// The open connections and their number per user.
///
/// Thread-safe.
final class ConnectionRegistry: Sendable {
    private struct State {
        var counts: [UInt32: Int] = [:]
        var total = 0
        var connections: [ObjectIdentifier: NIOLoopBound<Connection>] = [:]
    }

    private let state = Mutex(State())
    /// Signals the end of the last connection.
    private let ends = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let counters: Counters
    private let present: PresentUsers
    let observer: (any MessageObserver)?
    /// The time after which a connection of a front that acts for nobody is closed (protocol, section 4).
    let longestUnbound: Duration
    /// The counted connections whose users must be prepared before they are opened.
    let newUsers: AsyncStream<AcceptedSocket>
    private let opening: AsyncStream<AcceptedSocket>.Continuation

    init(
        counters: Counters,
        present: PresentUsers,
        observer: (any MessageObserver)? = nil,
        longestUnbound: Duration = .seconds(10)
    ) {
        self.counters = counters
        self.present = present
        self.observer = observer
        self.longestUnbound = longestUnbound
        (newUsers, opening) = AsyncStream.makeStream()
    }

    /// Opens a counted connection once its user is prepared; closes it after the end of ``newUsers``.
    func open(_ accepted: AcceptedSocket) {
        guard accepted.descriptor >= 0, case .enqueued = opening.yield(accepted) else {
            close(accepted.descriptor)
            return release(accepted.identity.uid)
        }
    }

    /// Ends the stream of new users.
    func finish() {
        opening.finish()
    }

    /// Counts a connection that moves to another user.
    ///
    /// All connections together become no more, because the connection is released of its former user.
    ///
    /// - Throws: `limitExceeded` if the user has too many. It is not counted then.
    func admit(moved uid: UInt32, _ limits: HostConfiguration.Limits) throws(ProtocolError) {
        var limits = limits
        limits.connections = .max
        _ = try admit(uid, limits)
    }

    /// Counts a connection of a user.
    ///
    /// - Returns: whether the user is prepared.
    /// - Throws: `limitExceeded` with the limit that the connection would exceed. It is not counted then.
    func admit(_ uid: UInt32, _ limits: HostConfiguration.Limits) throws(ProtocolError) -> Bool {
        let exceeded: (name: String, value: Int)? = state.withLock { state in
            if state.total >= limits.connections { return ("limits.connections", limits.connections) }
            if state.counts[uid, default: 0] >= limits.connectionsPerUser {
                return ("limits.connectionsPerUser", limits.connectionsPerUser)
            }
            state.total += 1
            state.counts[uid, default: 0] += 1
            return nil
        }
        if let exceeded { throw .limitExceeded(limit: exceeded.name, value: exceeded.value) }
        counters.connections.add(1)
        return present.enter(uid)
    }

    /// Subtracts an admitted connection.
    func release(_ uid: UInt32) {
        counters.connections.add(-1)
        present.leave(uid)
        let isLast = state.withLock { state in
            state.total -= 1
            state.counts[uid, default: 1] -= 1
            if state.counts[uid] == 0 { state.counts[uid] = nil }
            return state.total == 0
        }
        if isLast { ends.continuation.yield() }
    }

    func add(_ connection: NIOLoopBound<Connection>, _ channel: any Channel) {
        state.withLock { $0.connections[ObjectIdentifier(channel)] = connection }
    }

    func remove(_ channel: any Channel) {
        state.withLock { $0.connections[ObjectIdentifier(channel)] = nil }
    }

    /// Calls `body` with each open connection, on the connection's event loop.
    func forEach(_ body: @escaping @Sendable (Connection) -> Void) {
        for connection in state.withLock({ $0.connections.values }) {
            connection.eventLoop.execute { body(connection.value) }
        }
    }

    /// Waits until the number of connections is 0, or until the task is cancelled.
    ///
    /// One task may wait at a time.
    func waitUntilEmpty() async {
        var ends = ends.stream.makeAsyncIterator()
        while state.withLock({ $0.total > 0 }), await ends.next() != nil {}
    }
}
