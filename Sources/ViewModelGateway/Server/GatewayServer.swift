import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import ServiceLifecycle
import Systemd
import ViewModelConfiguration

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The service that accepts clients until it is asked to stop, or has had none for `gateway.idleSeconds`.
struct GatewayServer: Service {
    /// The clients that the kernel queues until the gateway accepts them.
    private static let backlog: Int32 = 1024

    let loop: any EventLoop
    let configuration: DaemonConfiguration.Gateway
    /// The path of the daemon's socket.
    let daemon: String
    let files: PageFolder
    let tokens: AccessTokens
    let sockets: GatewaySockets
    let notifier: ServiceNotifier
    let logger: Logger

    /// Runs until a graceful shutdown or the end of the idle time.
    func run() async throws {
        let addresses =
            sockets.place.map { GatewayAddresses(address: $0.address, port: $0.port, configuration) }
            ?? GatewayAddresses(proxied: configuration)
        let (idle, end) = AsyncStream.makeStream(of: Void.self)
        let gateway = try await loop.submit {
            let gateway = Gateway(on: loop, configuration, daemon: daemon, files: files, tokens: tokens, logger: logger)
            gateway.pageAddress = addresses.page
            gateway.isIdle = { end.finish() }
            gateway.startClocks()
            return NIOLoopBound(gateway, eventLoop: loop)
        }.get()
        let role = sockets.place == nil ? SocketRole.proxy : .network(isSecure: sockets.tls != nil)
        let origins = GatewayAddresses.words(configuration.origins)
        let policy = RequestPolicy(role: role, hosts: addresses.hosts, origins: origins)
        let clientFacts = ListenerFacts(role, policy, addresses.cookieName)
        let controlFacts = ListenerFacts(.control, RequestPolicy(role: .control, hosts: [], origins: []), "")
        let clients: ActiveSocket
        let control: ActiveSocket
        do {
            try sockets.listen()
            let channel = try await listen(on: sockets.clients, gateway, clientFacts)
            clients = ActiveSocket(channel, own: sockets.ownClients)
            let controlChannel = try await listen(on: sockets.control, gateway, controlFacts)
            control = ActiveSocket(controlChannel, own: sockets.ownControl)
        } catch {
            sockets.remove()
            throw error
        }
        let place = sockets.place.map { "port \($0.port)" } ?? configuration.listen.description
        notifier.ready(status: "Listening at \(place)")
        logger.notice("Listening", metadata: ["page": "\(addresses.page)", "daemon": "\(daemon)"])
        await withDiscardingTaskGroup { tasks in
            tasks.addTask { await clients.keep(logger) { try await listen(on: $0, gateway, clientFacts) } }
            tasks.addTask { await control.keep(logger) { try await listen(on: $0, gateway, controlFacts) } }
            await cancelWhenGracefulShutdown {
                // The stream has no elements. It ends with the idle time, or with the task.
                for await _ in idle {}
            }
            tasks.cancelAll()
        }
        notifier.stopping()
        await clients.close()
        await control.close()
        try await loop.flatSubmit { gateway.value.stop() }.get()
    }

    private func listen(
        on descriptor: Int32,
        _ gateway: NIOLoopBound<Gateway>,
        _ facts: ListenerFacts
    ) async throws -> any Channel {
        let limits = configuration.limits
        let tls = facts.role == .control ? nil : sockets.tls
        var bootstrap = ServerBootstrap(group: loop)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.recvAllocator, value: Gateway.receiveAllocator)
            .childChannelOption(.writeBufferWaterMark, value: Gateway.waterMark)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
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
                    try pipeline.addHandler(HTTPConnection(gateway.value, facts, codec: [encoder, decoder]))
                }
            }
        if case .network = facts.role {
            bootstrap = bootstrap.childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                // A client behind a dead line has to end some time, also while its request is under way.
                .childChannelOption(.socketOption(.so_keepalive), value: 1)
        }
        let listener = try await bootstrap.withBoundSocket(descriptor).get()
        // NIO has set the queue of an existing socket to 128 clients, before any option applies.
        try Self.lengthenQueue(of: descriptor)
        return listener
    }

    /// Sets the length of the queue of a socket that listens.
    static func lengthenQueue(of descriptor: Int32) throws(GatewayExit) {
        #if canImport(Glibc)
            let result = Glibc.listen(descriptor, backlog)
        #else
            let result = Musl.listen(descriptor, backlog)
        #endif
        guard result == 0 else {
            throw GatewayExit("cannot listen on a socket: \(String(cString: strerror(errno)))")
        }
    }
}
