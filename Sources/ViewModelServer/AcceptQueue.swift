import DequeModule
import NIOCore
import Synchronization

/// Accepted connections on their way to an event loop, in turns between users.
///
/// The loop takes a few at a time and looks at its sockets in between, so that a user who connects again and again delays
/// neither the connections of others nor their messages. Their number is bounded by `limits.connections`.
final class AcceptQueue: Sendable {
    private struct State {
        /// The users with connections that wait, in the order of their turns.
        var users: Deque<UInt32> = []
        var acceptedSockets: [UInt32: Deque<AcceptedSocket>] = [:]
        var isScheduled = false
    }

    private let loop: EventLoopSessionLoop
    private let state = Mutex(State())
    private let open: @Sendable (AcceptedSocket) -> Void

    /// The connections that are opened before the loop looks at its sockets again.
    private static let turn = 4

    /// - Parameter open: opens a connection; called on the loop.
    init(_ loop: EventLoopSessionLoop, open: @escaping @Sendable (AcceptedSocket) -> Void) {
        self.loop = loop
        self.open = open
    }

    /// Adds a connection behind those of its user.
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
        for _ in 0..<Self.turn {
            guard let accepted = next() else { return }
            open(accepted)
        }
        loop.state.value.signal.afterPoll { self.openSome() }
    }

    /// Takes a connection of the user whose turn it is; nil, and nothing scheduled any more, where none waits.
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
