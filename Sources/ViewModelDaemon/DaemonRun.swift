import CoreMetrics
import Glibc
import Logging
import ServiceLifecycle
import UnixIO
import UnixSignals
import ViewModelConfiguration
import ViewModelHost
import ViewModelKit
import ViewModelMetrics
import ViewModelServer
import ViewModelStorage
import ViewModelStore

/// A run of the daemon after its configuration was loaded: it creates the services and runs them in one group.
struct DaemonRun {
    let options: DaemonOptions
    let loader: ConfigurationLoader
    let loaded: ConfigurationLoader.Loaded
    let serviceManager: ServiceManager
    /// The SIGHUPs, each of which requests a reload of the configuration.
    let reloadSignals: UnixSignalsSequence
    let log: DaemonLog
    /// What the features add.
    let parts: DaemonParts
    /// Hosts the ViewModels of the daemon's author.
    let register: @Sendable (inout ViewModelCatalog, DaemonContext) async throws -> Void

    private var configuration: DaemonConfiguration { loaded.configuration }
    var logger: Logger { log.logger }

    /// What a daemon keeps: its directory, its store and the service over it.
    private struct Storage: Sendable {
        let state: StateDirectory
        let store: any StateStorage
        let service: (any StorageService)?
    }

    /// Runs until the daemon is asked to stop.
    func run() async throws {
        // The reader of the log may exit. A write to its pipe must then fail with EPIPE and not end the daemon.
        signal(SIGPIPE, SIG_IGN)
        // A metric binds to the factory that is installed when the metric is created, so this precedes all services.
        let registry = MetricsRegistry(help: MetricHelp.texts)
        MetricsSystem.bootstrap(registry)
        logLoaded()
        if let replacement = parts.replacement {
            return try await runServer(try replacement(logger), nil, services: [])
        }
        let state = try StateDirectory(options.state.statePath())
        let store = try await openStore(in: state)
        try await withCleanup {
            let storage = Storage(state: state, store: store, service: try await parts.service?(store, logger))
            guard let service = storage.service else { return try await runViewModels(storage, registry) }
            try await service.run { try await runViewModels(storage, registry) }
        } cleanUp: {
            // Closing empties the log of the database into its file.
            try await store.close()
            // From here on, another daemon and the commands may use the directory.
            state.release()
        }
    }

    /// Opens the store.
    ///
    /// - Throws: `StoreError`. If the shared database is away, its text also says what follows.
    private func openStore(in state: StateDirectory) async throws(StoreError) -> any StateStorage {
        do throws(StoreError) {
            return try await RunningDaemon.openStore(configuration, in: state.path, logger: logger)
        } catch {
            guard error.kind == .unavailable else { throw error }
            throw error.adding("The daemon ends, and its service manager starts it again")
        }
    }

    /// Hosts the ViewModels of the daemon's author, and serves them.
    private func runViewModels(_ storage: Storage, _ registry: MetricsRegistry) async throws {
        let context = DaemonContext(
            logger: logger,
            stateDirectory: storage.state.path,
            configuration: configuration
        )
        var catalog = ViewModelCatalog()
        try catalog.host(OpenMetrics.self, isRestored: false) { context in
            OpenMetrics(registry: registry, clock: context.clock)
        }
        storage.service?.provide(in: &catalog)
        try await register(&catalog, context)
        try await runServer(catalog, storage, services: context.services.all)
    }

    private func logLoaded() {
        if !loaded.files.isEmpty {
            logger.info("Read the configuration", metadata: ["file": "\(loaded.names)"])
        }
        for warning in loaded.warnings {
            logger.warning(
                "The configuration has a questionable value",
                metadata: ["place": "\(warning.location)", "reason": "\(warning.message)"]
            )
        }
    }

    /// Serves a catalog until the daemon is asked to stop; the services of the daemon's author stop after the server.
    private func runServer(_ catalog: ViewModelCatalog, _ storage: Storage?, services own: [any Service]) async throws {
        var health: (@Sendable () -> StorageHealth)?
        if let store = storage?.store { health = { store.health() } }
        let observer = try parts.observer?(logger)
        let server = try ViewModelServer(
            catalog: catalog,
            configuration: configuration.host,
            sockets: options.sockets(configuration.socket, inherited: serviceManager.inheritedSockets),
            state: storage?.state,
            store: storage?.store.sessions,
            userNumbers: storage?.store.userNumbers,
            placement: storage?.store.placement,
            storage: health,
            // The first reply to a user then contains what the service has of the user.
            prepareUser: { uid in await storage?.service?.prepare(uid) },
            forgetUser: { uid in
                guard storage?.service?.forget(uid) ?? true else { return false }
                storage?.store.sharing?.forget(uid)
                return true
            },
            name: RunningDaemon.program.name,
            version: RunningDaemon.version,
            developmentHints: options.development ? DevelopmentInput.lines() : nil,
            logger: logger,
            observer: observer,
            phase: { [serviceManager, logger] in serviceManager.notify($0, logger) }
        )
        let reloader = ConfigurationReloader(of: self) { [log] configuration in
            log.apply(configuration.log)
            server.adopt(configuration.host)
            storage?.store.adopt(RunningDaemon.storeConfiguration(configuration, in: "").bounds)
        }
        var services = own.map {
            ServiceGroupConfiguration.ServiceConfiguration(service: $0, serviceName: "\(type(of: $0))")
        }
        // It stops after the server, whose last saves need the daemon's part in the store.
        if let storage, let sharing = storage.store.sharing {
            let follower = ChangeFollower(sharing: sharing, service: storage.service, server: server)
            services.append(.init(service: follower, serviceName: "changes"))
        }
        services.append(.init(service: server, serviceName: "server"))
        services.append(.init(service: reloader, serviceName: "reloader"))
        if let watchdog = serviceManager.watchdog(server, storage?.store, logger) {
            services.append(.init(service: watchdog, serviceName: "watchdog"))
        }
        try await ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services,
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger
            )
        ).run()
    }
}
