import NIOCore
import ViewModelProtocol

extension FairQueue<AcceptedSocket> {
    /// Creates the queue of accepted connections for one event loop, which `open` is called on.
    ///
    /// The loop opens a few connections, then polls its sockets. A user who connects again and again therefore delays
    /// neither the connections of other users nor their messages. `limits.connections` bounds the length of the queue.
    convenience init(_ loop: EventLoopSessionLoop, open: @escaping @Sendable (AcceptedSocket) -> Void) {
        self.init { queue in loop.execute { queue.openSome(on: loop, open) } }
    }

    /// Opens the connections of one poll.
    private func openSome(on loop: EventLoopSessionLoop, _ open: @escaping @Sendable (AcceptedSocket) -> Void) {
        let connectionsPerPoll = 4
        for _ in 0..<connectionsPerPoll {
            guard let accepted = next() else { return }
            open(accepted)
        }
        loop.state.value.signal.afterPoll { self.openSome(on: loop, open) }
    }
}
