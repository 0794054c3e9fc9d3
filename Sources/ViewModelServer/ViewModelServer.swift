public import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle
import ViewModelHost
public import ViewModelKit

/// A daemon that hosts the ViewModels of a catalog behind a Unix-domain socket.
///
///     let server = try ViewModelServer(catalog: catalog, socket: path, stateDirectory: state, version: "1.0.0")
///     try await ServiceGroup(services: [server], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger).run()
///
/// It takes its socket and its state directory in `init`, so that a second daemon fails before anything else is
/// started. `run()` returns after a graceful shutdown: no more connections, actions get their grace, clients are told.
public final class ViewModelServer: Service {
    private let host: Host
    private let socket: ListeningSocket
    private let stateLock: FileLock
    private let group: MultiThreadedEventLoopGroup
    private let logger: Logger

    /// Takes the socket and the state directory.
    ///
    /// - Parameters:
    ///   - socket: the socket's path, at most 107 bytes.
    ///   - stateDirectory: where the daemon keeps what it remembers; made with mode 0700 where it does not exist.
    ///   - version: the application's version, which clients are told.
    /// - Throws: ``SocketError`` when the socket or the directory cannot be created or taken, `CatalogError`.
    public init(
        catalog: ViewModelCatalog,
        socket path: String,
        stateDirectory: String,
        name: String = "viewmodeld",
        version: String,
        logger: Logger = Logger(label: "viewmodeld")
    ) throws {
        self.logger = logger
        do {
            try PrivateDirectory.make(stateDirectory)
            stateLock = try FileLock(path: stateDirectory + "/lock")
        } catch {
            throw SocketError("the state directory \(stateDirectory) cannot be used: \(error)")
        }
        host = try Host(
            catalog: catalog,
            configuration: HostConfiguration(),
            name: name,
            version: version,
            logger: logger,
            storage: { StorageProbe.health(of: stateDirectory) }
        )
        socket = try ListeningSocket(path: path)
        group = MultiThreadedEventLoopGroup(numberOfThreads: System.coreCount)
    }

    /// Serves until a graceful shutdown.
    public func run() async throws {
        var loops: [EventLoopSessionLoop] = []
        for eventLoop in group.makeIterator() {
            loops.append(try await eventLoop.submit { EventLoopSessionLoop(eventLoop) }.get())
        }
        let registry = ConnectionRegistry(counters: host.counters)
        let listener = try Listener(socket: socket, host: host, loops: loops, registry: registry)
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
            tasks.addTask {
                try? await gracefulShutdown()
                listener.stop()
            }
            await tasks.next()
            tasks.cancelAll()
        }
        await stop(registry)
    }

    private func stop(_ registry: ConnectionRegistry) async {
        logger.info("Stopping")
        socket.remove()
        host.beginStopping()
        await host.waitUntilIdle(atMost: .seconds(host.configuration.graceSeconds))
        await host.endSessions()
        for connection in registry.all {
            connection.eventLoop.execute { connection.value.stop() }
        }
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await registry.waitUntilEmpty() }
            tasks.addTask {
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
        stateLock.release()
        logger.info("Stopped")
    }
}
