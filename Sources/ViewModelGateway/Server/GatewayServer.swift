import Glibc
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import ServiceLifecycle
import Systemd
import UnixIO
import ViewModelClient
import ViewModelConfiguration

/// The service that accepts clients until it is asked to stop, or has had none for `gateway.idleSeconds`.
struct GatewayServer: Service {
    /// The clients that the kernel queues until the gateway accepts them.
    private static let backlog: Int32 = 4096

    let loop: any EventLoop
    let configuration: DaemonConfiguration.Gateway
    /// The path of the daemon's socket.
    let daemon: String
    let files: PageFolder
    let tokens: AccessTokens
    let team: TeamSettings?
    /// The path of the secret that makes cookies valid.
    let cookieSecret: String
    let sockets: GatewaySockets
    let notifier: ServiceNotifier
    let logger: Logger
    /// The ends of the idle time.
    let idle = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// The addresses of the sockets for clients.
    var addresses: GatewayAddresses {
        sockets.tcp.map { GatewayAddresses(address: $0.address, port: $0.port, configuration) }
            ?? GatewayAddresses(proxied: configuration)
    }

    /// Runs until a graceful shutdown or the end of the idle time.
    func run() async throws {
        let addresses = addresses
        let gateway = try await loop.submit {
            let gateway = Gateway(self)
            gateway.startClocks()
            gateway.team?.start()
            return NIOLoopBound(gateway, eventLoop: loop)
        }.get()
        let provider = try await loop.submit { gateway.value.team?.provider }.get()
        let role: SocketRole =
            sockets.tcp == nil ? .proxy(isSecure: team != nil) : .network(isSecure: sockets.tls != nil)
        let origins = GatewayAddresses.words(configuration.origins.rawValue)
        let policy = RequestPolicy(
            role: role,
            hosts: addresses.hosts,
            origins: origins,
            cookieName: addresses.cookieName,
            base: addresses.base
        )
        let clients: ActiveSocket
        let control: ActiveSocket
        do {
            try sockets.listen()
            clients = try await ActiveSocket(sockets.clients) {
                try await listen(on: $0, gateway, policy)
            }
            control = try await ActiveSocket(sockets.control) {
                try await listen(on: $0, gateway, RequestPolicy(role: .control))
            }
        } catch {
            sockets.remove()
            await provider?.shutDown()
            throw error
        }
        let address = sockets.tcp.map { "port \($0.port)" } ?? configuration.listen.description
        notifier.ready(status: "Listening at \(address)")
        logger.notice("Listening", metadata: ["page": "\(addresses.page)", "daemon": "\(daemon)"])
        try await withThrowingDiscardingTaskGroup { tasks in
            tasks.addTask { await clients.keep(logger) }
            tasks.addTask { await control.keep(logger) }
            try await waitForEnd(gateway, [clients, control])
            tasks.cancelAll()
        }
        notifier.stopping()
        await clients.close()
        await control.close()
        try await loop.flatSubmit { gateway.value.stop() }.get()
        await provider?.shutDown()
    }

    /// Waits for a graceful shutdown, or for the end of the idle time.
    private func waitForEnd(_ gateway: NIOLoopBound<Gateway>, _ sockets: [ActiveSocket]) async throws {
        while await cancelWhenGracefulShutdown({ await idle.stream.first { _ in true } != nil }) {
            for socket in sockets { await socket.pause() }
            if try await loop.submit({ gateway.value.connections.count == 0 }).get() {
                logger.notice(
                    "Stopping, because there was no connection",
                    metadata: ["seconds": "\(configuration.idleSeconds)"]
                )
                // An open page sends its cookie to the process that takes the port next.
                if self.sockets.freesPort { unlink(cookieSecret.cPath) }
                return
            }
            // A client has connected before the sockets were paused.
            for socket in sockets { try await socket.resume() }
        }
    }

    private func listen(
        on descriptor: Int32,
        _ gateway: NIOLoopBound<Gateway>,
        _ policy: RequestPolicy
    ) async throws -> any Channel {
        let limits = configuration.limits
        let tls = policy.role == .control ? nil : sockets.tls
        var bootstrap = ServerBootstrap(group: loop)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.recvAllocator, value: Gateway.receiveAllocator)
            .childChannelOption(.writeBufferWaterMark, value: Gateway.waterMark)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.setCloseOnExec()
                    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                    var sizes = NIOHTTPDecoderLimitConfiguration()
                    sizes.maxHeaderFieldSize = limits.headerBytes
                    sizes.maxHeaderListSize = limits.headerBytes
                    let encoder = HTTPResponseEncoder()
                    let decoder = ByteToMessageHandler(
                        HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: sizes),
                        maximumBufferSize: limits.headerBytes
                    )
                    try pipeline.addHandlers(encoder, decoder)
                    try pipeline.addHandler(HTTPConnection(gateway.value, policy, codec: [encoder, decoder]))
                }
            }
        if case .network = policy.role {
            bootstrap = bootstrap.childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                // A client behind a dead line has to end some time, also while its request is under way.
                .childChannelOption(.socketOption(.so_keepalive), value: 1)
        }
        // The listener closes its own descriptor of the socket.
        let listener = try await bootstrap.withBoundSocket(fcntl(descriptor, F_DUPFD_CLOEXEC, 3)).get()
        // NIO has set the queue of an existing socket to 128 clients, before any option applies.
        try Self.lengthenQueue(of: descriptor)
        return listener
    }

    /// Sets the length of the queue of a socket that listens.
    static func lengthenQueue(of descriptor: Int32) throws(GatewayExit) {
        let result = Glibc.listen(descriptor, backlog)
        guard result == 0 else {
            throw GatewayExit("cannot listen on a socket: \(SystemError.last)")
        }
    }
}
