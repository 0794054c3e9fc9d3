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

    init(counters: Counters, present: PresentUsers, observer: (any MessageObserver)? = nil) {
        self.counters = counters
        self.present = present
        self.observer = observer
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
