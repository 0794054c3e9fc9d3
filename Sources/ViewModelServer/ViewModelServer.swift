public import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle
public import ViewModelHost
public import ViewModelKit

/// A daemon that hosts the ViewModels of a catalog behind a Unix-domain socket.
///
///     let state = try StateDirectory(path)
///     let server = try ViewModelServer(catalog: catalog, socket: socketPath, state: state, version: "1.0.0")
///     try await ServiceGroup(services: [server], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger).run()
///
/// It takes its socket in `init`, so that a second daemon fails before anything is started, and listens in `run()`, which
/// returns after a graceful shutdown: no more connections, actions get their grace, clients are told. A service manager's
/// sockets are accepted at instead where there are any.
public final class ViewModelServer: Service {
    private let host: Host
    private let sockets: ServerSockets
    private let wakeup: AcceptWakeup
    private let state: StateDirectory
    private let group: MultiThreadedEventLoopGroup
    private let phase: @Sendable (ServerPhase) -> Void
    private let logger: Logger
    private let registry: ConnectionRegistry
    private let welcome: @Sendable (UInt32) async -> Void

    /// Takes the socket.
    ///
    /// - Parameters:
    ///   - socket: the socket's path, at most 107 bytes.
    ///   - inherited: the descriptors of Unix-domain stream sockets that listen already, such as a service manager passes;
    ///     where there are any, they are accepted at instead. The server closes them, and leaves their files alone.
    ///   - state: where the daemon keeps what it remembers.
    ///   - store: where named sessions are saved; without one they end with the daemon.
    ///   - version: the application's version, which clients are told.
    ///   - phase: told how far the server is, in `run()`; must not block.
    /// - Throws: ``SocketError`` when the socket cannot be created or taken.
    public convenience init(
        catalog: ViewModelCatalog,
        socket path: String,
        inherited: [Int32] = [],
        state: StateDirectory,
        store: (any Store)? = nil,
        name: String = "viewmodeld",
        version: String,
        logger: Logger = Logger(label: "viewmodeld"),
        phase: @escaping @Sendable (ServerPhase) -> Void = { _ in }
    ) throws {
        try self.init(
            catalog: catalog,
            configuration: HostConfiguration(),
            sockets: inherited.isEmpty ? .own(SocketPlace(path: path)) : .inherited(inherited),
            state: state,
            store: store,
            name: name,
            version: version,
            logger: logger,
            phase: phase
        )
    }

    /// Takes the sockets; for a daemon with a configuration of its own.
    ///
    /// - Parameter welcome: called before the first connection of a user is served, with the user's id; until it returns
    ///   that connection waits, and no other user's.
    package init(
        catalog: ViewModelCatalog,
        configuration: HostConfiguration,
        sockets source: SocketSource,
        state: StateDirectory,
        store: (any Store)? = nil,
        storage: (@Sendable () -> StorageHealth)? = nil,
        welcome: @escaping @Sendable (UInt32) async -> Void = { _ in },
        name: String = "viewmodeld",
        version: String,
        logger: Logger,
        phase: @escaping @Sendable (ServerPhase) -> Void = { _ in }
    ) throws {
        self.logger = logger
        self.phase = phase
        self.state = state
        self.welcome = welcome
        host = Host(
            catalog: catalog,
            configuration: configuration,
            name: name,
            version: version,
            logger: logger,
            store: store,
            storage: storage ?? { [path = state.path] in StorageProbe.health(of: path) }
        )
        registry = ConnectionRegistry(counters: host.counters)
        wakeup = try AcceptWakeup()
        sockets = try ServerSockets(source)
        group = MultiThreadedEventLoopGroup(numberOfThreads: System.coreCount)
    }

    /// The threads that must answer for the server to be alive: the one that accepts, and each event loop.
    public var probes: [ServerProbe] {
        let loops = group.makeIterator().enumerated().map { number, loop in
            ServerProbe(name: "event loop \(number)") { loop.execute($0) }
        }
        return [ServerProbe(name: "accept thread") { [wakeup] in wakeup.execute($0) }] + loops
    }

    /// Serves until a graceful shutdown.
    public func run() async throws {
        var loops: [EventLoopSessionLoop] = []
        for eventLoop in group.makeIterator() {
            let loop = eventLoop.submit { [host] in EventLoopSessionLoop(eventLoop) { host.configuration.limits } }
            loops.append(try await loop.get())
        }
        // Most connections are those of the daemon's own user: none of them ever waits.
        await welcome(geteuid())
        // Not before: from here on a signal ends the daemon in order, and leaves no socket behind.
        try sockets.listen()
        DescriptorLimit.raise()
        let acceptedSockets = AsyncStream.makeStream(of: AcceptedSocket.self)
        let listener = Listener(
            sockets: sockets.descriptors,
            wakeup: wakeup,
            host: host,
            loops: loops,
            registry: registry,
            newUsers: acceptedSockets.continuation
        )
        logger.info(
            "Listening",
            metadata: ["socket": "\(sockets.paths.joined(separator: ", "))", "version": "\(host.version)"]
        )
        phase(.listening(sockets.paths))
        await withDiscardingTaskGroup { group in
            group.addTask { [welcome] in await Self.welcome(acceptedSockets.stream, welcome, to: listener) }
            await accept(listener)
        }
        await stop()
    }

    /// Lets clients in until a graceful shutdown.
    private func accept(_ listener: Listener) async {
        // A thread of its own, because accepting blocks; the shared pool has few.
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                // Not cancellable: the wakeup stops the listener, also one whose thread has not begun yet.
                await withCheckedContinuation { continuation in
                    pool.submit { state in
                        if case .active = state { listener.run() }
                        continuation.resume()
                    }
                }
                listener.finish()
            }
            tasks.addTask { [host] in
                while !Task.isCancelled {
                    await host.tidyStore()
                    do { try await Task.sleep(for: .seconds(86400)) } catch { return }
                }
            }
            tasks.addTask { [phase, wakeup] in
                try? await gracefulShutdown()
                phase(.stopping)
                wakeup.stop()
            }
            await tasks.next()
            tasks.cancelAll()
        }
        try? await pool.shutdownGracefully()
    }

    /// Serves connections once their users have been welcomed, until the listener has ended.
    ///
    /// It is not cancelled with the accepting: each of these connections has been counted in.
    private static func welcome(
        _ acceptedSockets: AsyncStream<AcceptedSocket>,
        _ welcome: @escaping @Sendable (UInt32) async -> Void,
        to listener: Listener
    ) async {
        await withDiscardingTaskGroup { newUsers in
            for await accepted in acceptedSockets {
                newUsers.addTask {
                    await welcome(accepted.credentials.uid)
                    listener.open(accepted)
                }
            }
        }
    }

    /// Takes another configuration: limits and access hold at once, for those who are connected, too.
    package func adopt(_ configuration: HostConfiguration) {
        host.adopt(configuration)
        let owner = geteuid()
        for connection in registry.all {
            connection.eventLoop.execute { connection.value.adopt(configuration, owner: owner) }
        }
    }

    private func stop() async {
        logger.info("Stopping")
        sockets.close()
        host.beginStopping()
        await host.waitUntilIdle(atMost: .seconds(host.configuration.graceSeconds)) { [phase] actions in
            phase(.waiting(actions: actions))
        }
        await host.endSessions()
        for connection in registry.all {
            connection.eventLoop.execute { connection.value.stop() }
        }
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { [registry] in await registry.waitUntilEmpty() }
            tasks.addTask { [registry] in
                // A client that does not read must not keep the daemon from ending.
                try? await Task.sleep(for: .seconds(1))
                for connection in registry.all {
                    connection.eventLoop.execute { connection.value.abort() }
                }
            }
            await tasks.next()
            tasks.cancelAll()
        }
        try? await group.shutdownGracefully()
        state.release()
        logger.info("Stopped")
    }
}
