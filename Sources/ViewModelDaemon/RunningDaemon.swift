package import Logging
import Synchronization
import UnixIO
package import ViewModelConfiguration
import ViewModelHost
package import ViewModelStorage
package import ViewModelStore

/// The daemon that this process runs.
///
/// ArgumentParser makes commands and their options by their types. The options have default paths and help texts that
/// depend on the daemon's name, so the name is kept here.
package enum RunningDaemon {
    private static let daemon = Mutex<(program: DaemonProgram, version: String, features: [any Feature])?>(nil)

    /// The program, whose name is a part of paths and texts.
    package static var program: DaemonProgram { current.program }
    /// The version that `--version` prints and that clients receive.
    package static var version: String { current.version }
    static var features: [any Feature] { current.features }

    /// Sets the daemon, before the command line is parsed.
    static func start(_ program: DaemonProgram, version: String, features: [any Feature]) {
        daemon.withLock { $0 = (program, version, features) }
    }

    /// Writes lines about the start on the standard error, before the log exists.
    package static func print(_ text: String, level: Logger.Level) {
        StandardError.print(as: program.name, text, level: level)
    }

    private static var current: (program: DaemonProgram, version: String, features: [any Feature]) {
        guard let daemon = daemon.withLock({ $0 }) else {
            preconditionFailure("ViewModelDaemon.run() sets the daemon before it parses the command line")
        }
        return daemon
    }
}

extension RunningDaemon {
    /// Opens the store that the configuration selects: that of a feature, else SQLite in the state directory.
    ///
    /// The commands that exchange the vault's key repair the vault: the key may then differ from that of the other daemons
    /// with the same database. An error names the file or the database and the remedy.
    package static func openStore(
        _ configuration: DaemonConfiguration,
        in directory: String,
        repairsVault: Bool = false,
        logger: Logger
    ) async throws(StoreError) -> any StateStorage {
        let local = storeConfiguration(configuration, in: directory)
        if let store = try selectedStore(configuration) { return try await store.open(local, repairsVault, logger) }
        return try await StateStore.open(local, logger: logger)
    }

    /// Returns the store of a feature that the configuration selects, or nil.
    ///
    /// - Throws: `StoreError`, if it cannot be used.
    static func selectedStore(_ configuration: DaemonConfiguration) throws(StoreError) -> SelectedStore? {
        for feature in features {
            if let store = try feature.store(configuration) { return store }
        }
        return nil
    }

    /// Returns the configuration of the store in a state directory.
    package static func storeConfiguration(
        _ configuration: DaemonConfiguration,
        in directory: String
    ) -> StateStoreConfiguration {
        var store = StateStoreConfiguration(directory: directory)
        store.program = program.name
        store.hasVault = false
        store.keyFile = configuration[VaultSettings.self].keyFile?.rawValue
        let limits = configuration[HostConfiguration.Limits.self]
        store.bounds.savedSessions = limits.savedSessionsPerUser
        store.bounds.savedBytes = limits.savedBytesPerSession
        for feature in features { feature.adapt(&store, to: configuration) }
        return store
    }
}
