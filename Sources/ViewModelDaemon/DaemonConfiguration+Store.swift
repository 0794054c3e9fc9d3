import FoundationEssentials
import Glibc
import Logging
import ViewModelConfiguration
import ViewModelHost
import ViewModelPostgres
import ViewModelStorage
import ViewModelStore

extension DaemonConfiguration {
    /// Opens the store that the configuration selects: the database of `store.url`, else SQLite in the state directory.
    ///
    /// - Parameters:
    ///   - directory: The state directory.
    ///   - repairsVault: Whether the vault's key may differ from that of the other daemons with the same database, as for
    ///     the commands that exchange it.
    ///   - logger: The log.
    /// - Returns: The store.
    /// - Throws: `StoreError`, which names the file or the database and the remedy.
    func openStore(
        in directory: String,
        repairsVault: Bool = false,
        logger: Logger
    ) async throws(StoreError) -> any StateStorage {
        let local = storeConfiguration(in: directory)
        let password = PasswordSource(
            file: store.passwordFile,
            credentialsDirectory: local.credentialsDirectory,
            program: local.program
        )
        guard let settings = try connectionSettings(password) else {
            return try await StateStore.open(local, logger: logger)
        }
        var shared = PostgresConfiguration(settings, nodeName: node.name ?? Self.hostName)
        shared.leaseDuration = .seconds(store.leaseSeconds)
        shared.bounds = local.bounds
        let key = try await Blocking.run { VaultKeySource(local, logger: logger) }
        return try await PostgresStorage.open(shared, key: key, acceptsOtherKey: repairsVault, logger: logger)
    }

    /// Checks what the start checks before it connects to a database.
    ///
    /// - Throws: `StoreError`, if `store.url` cannot be used.
    func checkStore() throws(StoreError) {
        _ = try connectionSettings(PasswordSource())
    }

    /// Returns the parameters of the connections to the database of `store.url`, or nil without one.
    private func connectionSettings(_ password: PasswordSource) throws(StoreError) -> ConnectionSettings? {
        guard let url = store.url else { return nil }
        do {
            return try ConnectionSettings(url: url, password: password)
        } catch {
            throw StoreError(.misconfigured, "store.url", String("\(error)".trimmingPrefix("store.url ")))
        }
    }

    /// The name of this machine.
    private static var hostName: String {
        // The last byte stays 0, also if the name is cut.
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The bounds of the store, which a reload changes.
    var storeBounds: StoreBounds {
        var bounds = StoreBounds()
        bounds.cacheBytes = cache.maximumBytes
        bounds.cacheAge = .seconds(cache.maximumAgeSeconds)
        bounds.outboxItems = host.limits.outboxItemsPerUser
        bounds.outboxBytes = host.limits.outboxBytesPerUser
        bounds.savedSessions = host.limits.savedSessionsPerUser
        bounds.savedBytes = host.limits.savedBytesPerSession
        return bounds
    }

    /// Returns the configuration of the store in a state directory.
    private func storeConfiguration(in directory: String) -> StateStoreConfiguration {
        var store = StateStoreConfiguration(directory: directory, keyFile: vault.keyFile)
        store.program = RunningDaemon.program.name
        store.bounds = storeBounds
        return store
    }
}
