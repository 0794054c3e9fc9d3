import Accounts
import ArgumentParser
import Foundation
import Logging
import ReferenceViewModels
import ServiceLifecycle
import UnixSignals
import ViewModelConfiguration
import ViewModelKit
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
        version: Release.version,
        subcommands: [VaultCommand.self]
    )

    @OptionGroup var options: DaemonOptions

    func run() async throws {
        let supervision = Supervision()
        let loaded: ConfigurationLoader.Loaded
        do {
            loaded = try options.configurationLoader.load()
        } catch {
            StandardError.print("\(error)")
            throw DaemonExit.code(for: error)
        }
        if options.checkConfig {
            loaded.warnings.forEach { StandardError.print("warning: \($0)") }
            print("\(loaded.file ?? "No configuration file"): the configuration can be taken")
        } else {
            try await serve(loaded, supervision)
        }
    }

    private func serve(_ loaded: ConfigurationLoader.Loaded, _ supervision: Supervision) async throws {
        // From here on it asks for another reading; it would have ended the process.
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        CoreDumps.forbid()
        let configuration = loaded.configuration
        let log = DaemonLog(configuration.log, environment: ProcessInfo.processInfo.environment)
        defer { log.flush() }
        let logger = log.logger
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
            let state = try StateDirectory(options.state.statePath())
            let store = try await StateStore.open(configuration.storeConfiguration(in: state.path), logger: logger)
            let accounts = AccountService(
                provider: try configuration.account.makeProvider(over: store),
                store: store,
                logger: logger
            )
            let result: Result<Void, any Error>
            do {
                result = .success(try await serve(configuration, state, store, accounts, supervision, hangups, log))
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
        _ supervision: Supervision,
        _ hangups: UnixSignalsSequence,
        _ log: DaemonLog
    ) async throws {
        let logger = log.logger
        let outbox = OutboxService(outbox: store.outbox, logger: logger)
        var catalog = ViewModelCatalog()
        try ReferenceViewModels.register(in: &catalog, lab: configuration.lab, accounts: accounts, outbox: outbox)
        let server = try ViewModelServer(
            catalog: catalog,
            configuration: configuration.host,
            sockets: options.sockets(configuration.socket, inherited: supervision.inheritedSockets),
            state: state,
            store: store.sessions,
            storage: { store.health() },
            // What a user sees first is complete.
            welcome: { uid in
                await accounts.prepare(uid)
                await outbox.prepare(uid)
            },
            version: Release.version,
            logger: logger,
            phase: { supervision.tell($0, logger) }
        )
        let reloader = ConfigurationReloader(
            options.configurationLoader,
            running: configuration,
            hangups: hangups,
            notifier: supervision.notifier,
            logger: logger
        ) {
            log.apply($0.log)
            server.adopt($0.host)
            store.cache.limit(toBytes: $0.cache.maximumBytes, age: .seconds($0.cache.maximumAgeSeconds))
        }
        var services: [any Service] = [server, reloader]
        if let watchdog = supervision.watchdog(server, store, logger) { services.append(watchdog) }
        try await ServiceGroup(
            services: services,
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        ).run()
    }
}

extension DaemonConfiguration {
    /// What the store needs to know.
    func storeConfiguration(in directory: String) -> StateStoreConfiguration {
        var store = StateStoreConfiguration(directory: directory, keyFile: vault.keyFile)
        store.cacheMaximumBytes = cache.maximumBytes
        store.cacheMaximumAge = .seconds(cache.maximumAgeSeconds)
        return store
    }
}
