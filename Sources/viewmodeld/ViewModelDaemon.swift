import Accounts
import ArgumentParser
import CoreMetrics
import Foundation
import Logging
import ReferenceViewModels
import ServiceLifecycle
import UnixSignals
import ViewModelConfiguration
import ViewModelKit
import ViewModelMetrics
import ViewModelProtocol
import ViewModelServer
import ViewModelStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The daemon: configuration, then services, then one group that runs them.
@main
struct ViewModelDaemon: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "viewmodeld",
        abstract: "Hosts ViewModels behind a JSON-RPC 2.0 Unix socket.",
        discussion: "Talk to it with viewmodelctl, or with socat: see viewmodelctl --help.",
        version: Release.version
    )

    @OptionGroup var options: DaemonOptions

    func run() async throws {
        let loaded: ConfigurationLoader.Loaded
        do {
            loaded = try options.configurationLoader.load()
        } catch {
            tell("\(error)", .error)
            throw DaemonExit.code(for: error)
        }
        if options.checkConfig {
            loaded.warnings.forEach { tell("warning: \($0)", .warning) }
            print("\(loaded.file ?? "No configuration file"): the configuration can be taken")
        } else {
            try await serve(loaded)
        }
    }

    private func tell(_ text: String, _ level: Logger.Level) {
        StandardError.print(text, level: level, environment: ProcessInfo.processInfo.environment)
    }

    private func serve(_ loaded: ConfigurationLoader.Loaded) async throws {
        let configuration = loaded.configuration
        // Who read the log may go; a write then fails, and must not end the daemon.
        signal(SIGPIPE, SIG_IGN)
        let log = DaemonLog(configuration.log, environment: ProcessInfo.processInfo.environment)
        defer { log.flush() }
        let logger = log.logger
        // Before anything is made that counts.
        let registry = MetricsRegistry(help: MetricHelp.texts)
        MetricsSystem.bootstrap(registry)
        if let file = loaded.file {
            logger.info("Read the configuration", metadata: ["file": "\(file)"])
        }
        for warning in loaded.warnings {
            logger.warning(
                "Odd configuration",
                metadata: ["place": "\(warning.place)", "reason": "\(warning.message)"]
            )
        }
        do {
            let state = try StateDirectory(options.statePath())
            let store = try await StateStore.open(configuration.storeConfiguration(in: state.path), logger: logger)
            let accounts = AccountService(
                provider: try configuration.account.makeProvider(over: store),
                store: store,
                logger: logger
            )
            let result: Result<Void, any Error>
            do {
                result = .success(try await serve(configuration, state, store, accounts, registry, logger))
            } catch {
                result = .failure(error)
            }
            // Whatever happened: the accounts' connections want an end, too.
            await accounts.shutDown()
            try await store.close()
            try result.get()
        } catch {
            logger.critical("\(error)")
            throw DaemonExit.code(for: error)
        }
    }

    private func serve(
        _ configuration: DaemonConfiguration,
        _ state: StateDirectory,
        _ store: StateStore,
        _ accounts: AccountService,
        _ registry: MetricsRegistry,
        _ logger: Logger
    ) async throws {
        let outbox = OutboxService(outbox: store.outbox, logger: logger)
        // What the daemon's own user sees first is complete.
        await accounts.prepare(getuid())
        await outbox.prepare(getuid())
        var catalog = ViewModelCatalog()
        try catalog.host(OpenMetrics.self, isRestored: false) { context in
            OpenMetrics(registry: registry, clock: context.clock)
        }
        try ReferenceViewModels.register(in: &catalog, lab: configuration.lab, accounts: accounts, outbox: outbox)
        let server = try ViewModelServer(
            catalog: catalog,
            configuration: configuration.host,
            socket: SocketPlace(
                path: options.socketPath(configuration.socket),
                mode: configuration.socket.mode.bits,
                group: configuration.socket.group?.id
            ),
            state: state,
            store: store.sessions,
            storage: { store.health() },
            version: Release.version,
            logger: logger
        )
        try await ServiceGroup(
            services: [server],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        ).run()
    }
}

extension DaemonConfiguration {
    /// What the store needs to know.
    fileprivate func storeConfiguration(in directory: String) -> StateStoreConfiguration {
        var store = StateStoreConfiguration(directory: directory, keyFile: vault.keyFile)
        store.cacheMaximumBytes = cache.maximumBytes
        store.cacheMaximumAge = .seconds(cache.maximumAgeSeconds)
        return store
    }
}
