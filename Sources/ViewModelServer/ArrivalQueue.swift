import DequeModule
import NIOCore
import Synchronization

/// Accepted connections on their way to an event loop, in turns between users.
///
/// The loop takes a few at a time and looks at its sockets in between, so that a user who connects again and again delays
/// neither the connections of others nor their messages. Their number is bounded by `limits.connections`.
final class ArrivalQueue: Sendable {
    private struct State {
        /// The users with connections that wait, in the order of their turns.
        var users: Deque<UInt32> = []
        var arrivals: [UInt32: Deque<Arrival>] = [:]
        var isScheduled = false
    }

    private let loop: EventLoopSessionLoop
    private let state = Mutex(State())
    private let open: @Sendable (Arrival) -> Void

    /// The connections that are opened before the loop looks at its sockets again.
    private static let turn = 4

    /// - Parameter open: opens a connection; called on the loop.
    init(_ loop: EventLoopSessionLoop, open: @escaping @Sendable (Arrival) -> Void) {
        self.loop = loop
        self.open = open
    }

    /// Adds a connection behind those of its user.
    func add(_ arrival: Arrival) {
        let isFirst = state.withLock { state in
            let uid = arrival.credentials.uid
            if state.arrivals[uid] == nil { state.users.append(uid) }
            state.arrivals[uid, default: []].append(arrival)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { loop.execute { self.openSome() } }
    }

    private func openSome() {
        for _ in 0..<Self.turn {
            guard let arrival = next() else { return }
            open(arrival)
        }
        loop.state.value.signal.afterPoll { self.openSome() }
    }

    /// Takes a connection of the user whose turn it is; nil, and nothing scheduled any more, where none waits.
    private func next() -> Arrival? {
        state.withLock { state in
            guard let uid = state.users.popFirst(), let arrival = state.arrivals[uid]?.popFirst() else {
                state.isScheduled = false
                return nil
            }
            if state.arrivals[uid]?.isEmpty == true {
                state.arrivals[uid] = nil
            } else {
                state.users.append(uid)
            }
            return arrival
        }
    }
}
