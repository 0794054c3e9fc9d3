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
/// returns after a graceful shutdown: no more connections, actions get their grace, clients are told.
public final class ViewModelServer: Service {
    private let host: Host
    private let socket: ListeningSocket
    private let state: StateDirectory
    private let group: MultiThreadedEventLoopGroup
    private let logger: Logger
    private let registry: ConnectionRegistry
    private let welcome: @Sendable (UInt32) async -> Void

    /// Takes the socket.
    ///
    /// - Parameters:
    ///   - socket: the socket's path, at most 107 bytes.
    ///   - state: where the daemon keeps what it remembers.
    ///   - store: where named sessions are saved; without one they end with the daemon.
    ///   - version: the application's version, which clients are told.
    /// - Throws: ``SocketError`` when the socket cannot be created or taken, `CatalogError`.
    public convenience init(
        catalog: ViewModelCatalog,
        socket path: String,
        state: StateDirectory,
        store: (any Store)? = nil,
        name: String = "viewmodeld",
        version: String,
        logger: Logger = Logger(label: "viewmodeld")
    ) throws {
        try self.init(
            catalog: catalog,
            configuration: HostConfiguration(),
            socket: SocketPlace(path: path),
            state: state,
            store: store,
            name: name,
            version: version,
            logger: logger
        )
    }

    /// Takes the socket; for a daemon with a configuration of its own.
    ///
    /// - Parameter welcome: called before the first connection of a user is served, with the user's id; until it returns
    ///   that connection waits, and no other user's.
    package init(
        catalog: ViewModelCatalog,
        configuration: HostConfiguration,
        socket place: SocketPlace,
        state: StateDirectory,
        store: (any Store)? = nil,
        storage: (@Sendable () -> StorageHealth)? = nil,
        welcome: @escaping @Sendable (UInt32) async -> Void = { _ in },
        name: String = "viewmodeld",
        version: String,
        logger: Logger
    ) throws {
        self.logger = logger
        self.state = state
        self.welcome = welcome
        host = try Host(
            catalog: catalog,
            configuration: configuration,
            name: name,
            version: version,
            logger: logger,
            store: store,
            storage: storage ?? { [path = state.path] in StorageProbe.health(of: path) }
        )
        registry = ConnectionRegistry(counters: host.counters)
        socket = try ListeningSocket(place)
        group = MultiThreadedEventLoopGroup(numberOfThreads: System.coreCount)
    }

    /// Serves until a graceful shutdown.
    public func run() async throws {
        var loops: [EventLoopSessionLoop] = []
        for eventLoop in group.makeIterator() {
            loops.append(try await eventLoop.submit { EventLoopSessionLoop(eventLoop) }.get())
        }
        // Not before: from here on a signal ends the daemon in order, and leaves no socket behind.
        try socket.listen()
        DescriptorLimit.raise()
        let arrivals = AsyncStream.makeStream(of: Arrival.self)
        let listener = try Listener(
            socket: socket,
            host: host,
            loops: loops,
            registry: registry,
            newUsers: arrivals.continuation
        )
        logger.info("Listening", metadata: ["socket": "\(socket.path)", "version": "\(host.version)"])
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                await withCheckedContinuation { continuation in
                    // A thread of its own, because accepting blocks.
                    NIOThreadPool.singleton.submit { _ in
                        listener.run()
                        continuation.resume()
                    }
                }
            }
            tasks.addTask { [host] in
                while !Task.isCancelled {
                    await host.tidyStore()
                    do { try await Task.sleep(for: .seconds(86400)) } catch { return }
                }
            }
            tasks.addTask { [welcome] in
                await withDiscardingTaskGroup { newUsers in
                    for await arrival in arrivals.stream {
                        newUsers.addTask {
                            await welcome(arrival.credentials.uid)
                            listener.open(arrival)
                        }
                    }
                }
            }
            tasks.addTask {
                try? await gracefulShutdown()
                listener.stop()
            }
            await tasks.next()
            tasks.cancelAll()
        }
        await stop()
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
        socket.remove()
        host.beginStopping()
        await host.waitUntilIdle(atMost: .seconds(host.configuration.graceSeconds))
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
