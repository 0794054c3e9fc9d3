import Dispatch
public import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle
import UnixIO
public import ViewModelHost
public import ViewModelKit

/// A daemon that hosts the ViewModels of a catalog behind a Unix-domain socket.
///
///     let state = try StateDirectory(path)
///     let server = try ViewModelServer(catalog: catalog, socket: socketPath, state: state, version: "1.0.0")
///     try await ServiceGroup(services: [server], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger).run()
///
/// `init` locks the path of the socket, so that a second daemon fails before any other part starts.
///
/// `run()` listens and returns after a graceful shutdown: the server accepts no more connections, waits for actions up
/// to the grace period, and notifies clients. If a service manager passes sockets, the server accepts from them
/// instead.
///
/// The server does not release the lock of the state directory: whatever else writes into the directory may run longer.
public final class ViewModelServer: Service {
    private let host: Host
    private let sockets: ServerSockets
    private let wakeup: AcceptWakeup
    private let group: MultiThreadedEventLoopGroup
    private let phase: @Sendable (ServerPhase) -> Void
    private let logger: Logger
    private let registry: ConnectionRegistry
    private let prepareUser: @Sendable (UInt32) async -> Void
    private let forgetUser: @Sendable (UInt32) -> Bool
    private let developmentHints: AsyncStream<String>?

    /// Creates the socket, or adopts the inherited ones.
    ///
    /// - Parameters:
    ///   - catalog: the types, services and scenes to host.
    ///   - path: the socket's path, at most 107 bytes.
    ///   - inherited: the descriptors of listening Unix-domain stream sockets, for example from a service manager. If
    ///     there are any, the server accepts from them and does not create `path`. It closes them and leaves their
    ///     files alone.
    ///   - state: the directory for everything the daemon keeps on disk.
    ///   - store: saves named sessions. Without a store, sessions end with the daemon.
    ///   - name: the application's name, which clients receive.
    ///   - version: the application's version, which clients receive.
    ///   - logger: logs connections, refusals and incidents.
    ///   - phase: called in `run()` when the server reaches a phase. It must not block.
    /// - Throws: ``SocketError`` when the socket cannot be created or adopted, and `CatalogError` when the catalog lacks
    ///   what a ViewModel needs.
    public convenience init(
        catalog: ViewModelCatalog,
        socket path: String,
        inherited: [Int32] = [],
        state: StateDirectory,
        store: SessionStore? = nil,
        name: String = "viewmodeld",
        version: String,
        logger: Logger = Logger(label: "viewmodeld"),
        phase: @escaping @Sendable (ServerPhase) -> Void = { _ in }
    ) throws {
        try self.init(
            catalog: catalog,
            configuration: HostConfiguration(),
            sockets: inherited.isEmpty
                ? ServerSockets(own: SocketOptions(path: path)) : ServerSockets(inherited: inherited),
            state: state,
            store: store?.base,
            name: name,
            version: version,
            logger: logger,
            phase: phase
        )
    }

    /// Creates or adopts the sockets, for a daemon that has its own configuration.
    ///
    /// A daemon without a state directory keeps nothing, and one without a placement shares its store with no other one.
    /// `storage` returns the health of the storage; the default measures the state directory. `prepareUser` is called with
    /// the uid before the first connection of a user is served. The connections of this user wait until it returns, and
    /// those of other users do not. `forgetUser` is called minutes after the last connection and session of a user, and
    /// returns whether nothing of the user is in memory. All sessions show `developmentHints`, which are nil if the daemon
    /// is not run by its author. `forgetUser` and `phase` must not block.
    ///
    /// - Throws: ``SocketError`` when a socket cannot be created or adopted, and `CatalogError` when the catalog lacks
    ///   what a ViewModel needs.
    package init(
        catalog: ViewModelCatalog,
        configuration: HostConfiguration,
        sockets: @autoclosure () throws -> ServerSockets,
        state: StateDirectory?,
        store: (any Store)? = nil,
        userNumbers: (any UserNumbers)? = nil,
        placement: (any SessionPlacement)? = nil,
        storage: (@Sendable () -> StorageHealth)? = nil,
        prepareUser: @escaping @Sendable (UInt32) async -> Void = { _ in },
        forgetUser: @escaping @Sendable (UInt32) -> Bool = { _ in true },
        name: String = "viewmodeld",
        version: String,
        developmentHints: AsyncStream<String>? = nil,
        logger: Logger,
        observer: (any MessageObserver)? = nil,
        phase: @escaping @Sendable (ServerPhase) -> Void = { _ in }
    ) throws {
        try catalog.check()
        self.logger = logger
        self.phase = phase
        self.prepareUser = prepareUser
        self.forgetUser = forgetUser
        self.developmentHints = developmentHints
        host = Host(
            catalog: catalog,
            configuration: configuration,
            name: name,
            version: version,
            isInDevelopment: developmentHints != nil,
            logger: logger,
            store: store,
            userNumbers: userNumbers,
            placement: placement,
            storage: storage ?? { [path = state?.path] in
                path.map(StorageHealth.init(of:)) ?? StorageHealth(path: "", bytes: 0, healthy: true)
            }
        )
        registry = ConnectionRegistry(counters: host.counters, present: host.present, observer: observer)
        wakeup = try AcceptWakeup()
        self.sockets = try sockets()
        group = MultiThreadedEventLoopGroup(numberOfThreads: System.coreCount)
        CloseOnExec.setPolls()
    }

    /// The threads that must answer for the server to be alive: the accept thread and each event loop.
    public var probes: [ServerProbe] {
        let loops = group.makeIterator().enumerated().map { number, loop in
            ServerProbe(name: "event loop \(number)") { loop.execute($0) }
        }
        return [ServerProbe(name: "accept thread") { [wakeup] answer in wakeup.execute { _ in answer() } }] + loops
    }

    /// Serves clients until a graceful shutdown.
    ///
    /// Throws ``SocketError`` when the socket cannot listen.
    public func run() async throws {
        // The first attach would make it on its loop.
        Task.detached { [host] in _ = host.contractHash }
        let watch = LoopWatch()
        var loops: [EventLoopSessionLoop] = []
        for eventLoop in group.makeIterator() {
            let loop = eventLoop.submit { [host] in
                EventLoopSessionLoop(eventLoop, watch: watch) { host.configuration.limits }
            }
            loops.append(try await loop.get())
        }
        // Most connections belong to the daemon's own user. They never wait for the preparation.
        host.present.enter(geteuid())
        await prepare(geteuid())
        host.present.prepared(geteuid())
        // The server listens last. From here on, signals end the daemon in order and leave no socket behind.
        try sockets.listen()
        DescriptorLimit.raise()
        registry.observer?.start { [host] in host.discoveryDocument() }
        let listener = Listener(
            sockets: sockets.descriptors,
            wakeup: wakeup,
            host: host,
            loops: loops,
            registry: registry
        )
        logger.info(
            "Listening",
            metadata: ["socket": "\(sockets.paths.joined(separator: ", "))", "version": "\(host.version)"]
        )
        phase(.listening(sockets.paths))
        await withDiscardingTaskGroup { tasks in
            tasks.addTask { await watch.run(self.logger) }
            tasks.addTask { await self.eraseUnusedSessions() }
            tasks.addTask { await self.forgetAbsentUsers() }
            tasks.addTask { await self.sockets.keep(self.logger, self.host.health) { listener.adopt($0) } }
            if let developmentHints {
                tasks.addTask { for await text in developmentHints { self.host.hint(text, level: .error) } }
            }
            await withDiscardingTaskGroup { opening in
                opening.addTask { await self.openNewUsers(on: listener) }
                await accept(listener)
            }
            tasks.cancelAll()
        }
        await stop()
    }

    /// Erases unused saved sessions once a day, until the task is cancelled.
    private func eraseUnusedSessions() async {
        while !Task.isCancelled {
            await host.eraseUnusedSessions()
            try? await Task.sleep(for: .seconds(86400))
        }
    }

    /// Removes the data of users from memory who have left for minutes, until the task is cancelled.
    private func forgetAbsentUsers() async {
        while (try? await Task.sleep(for: .seconds(60))) != nil {
            let count = host.present.sweep { host.lasting.forget($0) && forgetUser($0) }
            // What many users leave lies in pieces between what stays, and the allocator keeps it.
            if count > 500 { returnFreeMemory() }
        }
    }

    /// Accepts connections until a graceful shutdown.
    private func accept(_ listener: Listener) async {
        // Accepting blocks, and the shared pool has few threads. It therefore has a dedicated thread.
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { [registry] in
                // This task is not cancellable. The wakeup stops the listener, even before its thread has started.
                await withCheckedContinuation { continuation in
                    pool.submit { state in
                        if case .active = state { listener.run() }
                        continuation.resume()
                    }
                }
                registry.finish()
            }
            tasks.addTask { [phase, wakeup] in
                try? await gracefulShutdown()
                phase(.stopping)
                wakeup.stop()
            }
            await tasks.next()
            tasks.cancelAll()
        }
        await Self.awaitShutdown(pool.shutdownGracefully)
    }

    /// Opens connections once their users are prepared, until the listener has ended.
    ///
    /// It is not cancelled together with accepting, because each of these connections has been counted.
    private func openNewUsers(on listener: Listener) async {
        await withDiscardingTaskGroup { newUsers in
            for await accepted in registry.newUsers {
                newUsers.addTask {
                    await self.prepare(accepted.identity.uid)
                    listener.open(accepted)
                }
            }
        }
    }

    private func prepare(_ uid: UInt32) async {
        await host.prepare(uid)
        await prepareUser(uid)
    }

    /// Applies another configuration.
    ///
    /// Limits and access rules hold at once, for open connections and new ones.
    package func adopt(_ configuration: HostConfiguration) {
        host.adopt(configuration)
        let owner = geteuid()
        registry.forEach { $0.adopt(configuration, owner: owner) }
    }

    /// Reads the values of an area again, because another daemon has changed them.
    ///
    /// - Returns: whether they could be read.
    package func reread(_ area: ValueArea) async -> Bool {
        await host.reread(area)
    }

    private func stop() async {
        logger.info("Stopping")
        sockets.close()
        host.beginStopping()
        await host.waitUntilIdle(atMost: .seconds(host.configuration.shutdown.graceSeconds)) { [phase] actions in
            phase(.waiting(actions: actions))
        }
        await host.endSessions()
        registry.forEach { $0.finish() }
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { [registry] in await registry.waitUntilEmpty() }
            tasks.addTask { [registry] in
                // A client that does not read must not delay the end of the daemon.
                try? await Task.sleep(for: .seconds(1))
                registry.forEach { $0.abort() }
            }
            await tasks.next()
            tasks.cancelAll()
        }
        await Self.awaitShutdown(group.shutdownGracefully)
        await registry.observer?.finish()
        logger.info("Stopped")
    }

    /// Starts a shutdown of NIO and waits for its end.
    ///
    /// NIO's asynchronous variants use a global queue. While the process has a thread of a global queue, libdispatch
    /// reads `/proc` once a second, and it ends the process if no descriptor is left for that.
    private static func awaitShutdown(
        _ shutdown: (DispatchQueue, @escaping @Sendable ((any Error)?) -> Void) -> Void
    ) async {
        await withCheckedContinuation { continuation in
            shutdown(DispatchQueue(label: "viewmodeld.shutdown")) { _ in continuation.resume() }
        }
    }
}

/// A stage in the life of a server, for the program that runs it.
public enum ServerPhase: Hashable, Sendable {
    /// The server accepts connections at these paths.
    case listening([String])
    /// The server was asked to stop and accepts no more connections.
    case stopping
    /// The server stops and waits for this many executing actions, at most for the grace period.
    case waiting(actions: Int)
}

/// A thread of the server that must answer for the server to be alive.
public struct ServerProbe: Sendable {
    /// The thread's name for logs.
    public let name: String
    /// Queues `answer` on the thread and returns at once.
    ///
    /// The thread calls `answer` only while the server runs.
    public let ask: @Sendable (_ answer: @escaping @Sendable () -> Void) -> Void
}
