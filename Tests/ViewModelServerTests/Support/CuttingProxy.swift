import NIOCore
import NIOPosix
import Synchronization

/// A proxy between clients and a server that cuts its first connection after a number of bytes.
final class CuttingProxy: Sendable {
    /// The path of the proxy's socket.
    let socket: String
    private let target: String
    private let state: Mutex<State>
    private let listener = Mutex<(any Channel)?>(nil)

    private struct State {
        /// The bytes that the first connection still passes on, in both directions; nil for no limit.
        var left: Int?
        var passed = 0
        var connections = 0
    }

    /// - Parameters:
    ///   - socket: the path to listen at.
    ///   - target: the path of the server's socket.
    ///   - limit: the bytes after which the first connection is cut; nil to cut none.
    init(socket: String, target: String, cutAfter limit: Int?) {
        self.socket = socket
        self.target = target
        state = Mutex(State(left: limit))
    }

    /// The bytes that were passed on.
    var passed: Int { state.withLock(\.passed) }

    /// The number of connections that clients have made.
    var connections: Int { state.withLock(\.connections) }

    func start() async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { [self] client in
                state.withLock { $0.connections += 1 }
                let isFirst = connections == 1
                let serving = ClientBootstrap(group: client.eventLoop)
                    .channelOption(.autoRead, value: false)
                    .connect(unixDomainSocketPath: target)
                return serving.flatMapThrowing { [self] server in
                    try client.pipeline.syncOperations.addHandler(Pipe(server, self, isFirst))
                    try server.pipeline.syncOperations.addHandler(Pipe(client, self, isFirst))
                    for side in [client, server] { side.setOption(.autoRead, value: true).whenComplete { _ in } }
                }
            }
            .bind(unixDomainSocketPath: socket)
            .get()
        listener.withLock { $0 = channel }
    }

    func stop() async {
        try? await listener.withLock(\.self)?.close()
    }

    /// Counts bytes; returns how many may pass, and whether the connection is cut after them.
    private func pass(_ count: Int, _ isFirst: Bool) -> (allowed: Int, isCut: Bool) {
        state.withLock { state in
            guard isFirst, let left = state.left else {
                state.passed += count
                return (count, false)
            }
            let allowed = min(count, left)
            state.left = left - allowed
            state.passed += allowed
            return (allowed, allowed == left)
        }
    }

    /// Passes what one side sends to the other side.
    private final class Pipe: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let other: any Channel
        private let proxy: CuttingProxy
        private let isFirst: Bool
        private var isCut = false

        init(_ other: any Channel, _ proxy: CuttingProxy, _ isFirst: Bool) {
            self.other = other
            self.proxy = proxy
            self.isFirst = isFirst
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if isCut { return }
            var bytes = unwrapInboundIn(data)
            let (allowed, isCut) = proxy.pass(bytes.readableBytes, isFirst)
            self.isCut = isCut
            let part = bytes.readSlice(length: allowed) ?? ByteBuffer()
            let other = other
            let own = context.channel
            other.writeAndFlush(part).whenComplete { _ in
                guard isCut else { return }
                other.close(promise: nil)
                own.close(promise: nil)
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            other.close(promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
