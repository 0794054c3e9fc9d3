import Glibc
import NIOCore
import NIOPosix

/// A queue of work that runs after an event loop has polled its sockets again.
///
/// A task of the loop would not do. NIO runs tasks until none is due and only then polls its sockets, so a chain of
/// tasks keeps all clients waiting. The signal is a socket pair. A byte that is sent to it becomes a socket event among
/// those of the clients. The signal is the handler of the other end's channel, which lives as long as the loop.
///
/// Isolation: confined to the event loop. The sockets are created in `init`, so that a flood of connections does not
/// change the number of descriptors that the process needs.
final class PollSignal: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let eventLoop: any EventLoop
    private var waiting: [() -> Void] = []
    private var isRung = false
    private var sender: Int32?

    /// Called on the loop.
    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        sender = makeSockets()
    }

    deinit {
        if let sender { close(sender) }
    }

    /// Runs `body` after the next poll of the sockets.
    func afterPoll(_ body: @escaping () -> Void) {
        waiting.append(body)
        guard !isRung else { return }
        isRung = true
        guard let sender else { return runLater() }
        var byte: UInt8 = 0
        if send(sender, &byte, 1, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) != 1 { runLater() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        run()
    }

    /// Drops the work when the loop ends.
    ///
    /// Its closures hold the loop's state, which holds the signal.
    func handlerRemoved(context: ChannelHandlerContext) {
        waiting = []
    }

    private func run() {
        isRung = false
        let bodies = waiting
        waiting = []
        for body in bodies { body() }
    }

    /// Runs the work with a timer if the process could not create the sockets, for example without free descriptors.
    private func runLater() {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: .milliseconds(1)) { bound.value.run() }
    }

    private func makeSockets() -> Int32? {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return nil
        }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        ClientBootstrap(group: eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(bound.value)
                }
            }
            .withConnectedSocket(ends[0])
            .whenFailure { _ in bound.value.sender = nil }
        return ends[1]
    }
}
