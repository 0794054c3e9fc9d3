import DequeModule
import NIOCore
import Synchronization

/// A queue of accepted connections for one event loop, in round-robin order of their users.
///
/// The loop opens a few connections, then polls its sockets. A user who connects again and again therefore delays
/// neither the connections of other users nor their messages. `limits.connections` bounds the length of the queue.
final class AcceptQueue: Sendable {
    private struct State {
        /// The users with waiting connections, in the order of their turns.
        var users: Deque<UInt32> = []
        var acceptedSockets: [UInt32: Deque<AcceptedSocket>] = [:]
        var isScheduled = false
    }

    private let loop: EventLoopSessionLoop
    private let state = Mutex(State())
    private let open: @Sendable (AcceptedSocket) -> Void

    /// The number of connections that are opened before the loop polls its sockets again.
    private static let connectionsPerPoll = 4

    /// Creates the queue of a loop.
    ///
    /// - Parameters:
    ///   - loop: the loop that opens the connections.
    ///   - open: opens a connection. Called on the loop.
    init(_ loop: EventLoopSessionLoop, open: @escaping @Sendable (AcceptedSocket) -> Void) {
        self.loop = loop
        self.open = open
    }

    /// Adds a connection behind those of the same user.
    ///
    /// Thread-safe.
    func add(_ accepted: AcceptedSocket) {
        let isFirst = state.withLock { state in
            let uid = accepted.credentials.uid
            if state.acceptedSockets[uid] == nil { state.users.append(uid) }
            state.acceptedSockets[uid, default: []].append(accepted)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { loop.execute { self.openSome() } }
    }

    private func openSome() {
        for _ in 0..<Self.connectionsPerPoll {
            guard let accepted = next() else { return }
            open(accepted)
        }
        loop.state.value.signal.afterPoll { self.openSome() }
    }

    /// Removes the next connection in turn.
    ///
    /// If the queue is empty, returns nil and clears `isScheduled`.
    private func next() -> AcceptedSocket? {
        state.withLock { state in
            guard let uid = state.users.popFirst(), let accepted = state.acceptedSockets[uid]?.popFirst() else {
                state.isScheduled = false
                return nil
            }
            if state.acceptedSockets[uid]?.isEmpty == true {
                state.acceptedSockets[uid] = nil
            } else {
                state.users.append(uid)
            }
            return accepted
        }
    }
}
