import ArgumentParser
import Logging
import ReferenceViewModels
import ServiceLifecycle
import UnixSignals
import ViewModelConfiguration
import ViewModelKit
import ViewModelProtocol
import ViewModelServer
import ViewModelStore

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
            StandardError.print("\(error)")
            throw DaemonExit.code(for: error)
        }
        if options.checkConfig {
            loaded.warnings.forEach { StandardError.print("warning: \($0)") }
            print("\(loaded.file ?? "No configuration file"): the configuration can be taken")
        } else {
            try await serve(loaded)
        }
    }

    private func serve(_ loaded: ConfigurationLoader.Loaded) async throws {
        let configuration = loaded.configuration
        let logger = Logger(configuration.log)
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
            var catalog = ViewModelCatalog()
            try ReferenceViewModels.register(in: &catalog, lab: configuration.lab)
            let state = try StateDirectory(options.statePath())
            let store = try await StateStore.open(configuration.storeConfiguration(in: state.path), logger: logger)
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
            let group = ServiceGroup(
                services: [server],
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger
            )
            try await group.run()
            try await store.close()
        } catch {
            logger.critical("\(error)")
            throw DaemonExit.code(for: error)
        }
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
