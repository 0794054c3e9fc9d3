import ArgumentParser
import Glibc
import Logging
import ViewModelConfiguration
public import ViewModelDaemon
import ViewModelPostgres
import ViewModelStorage
import ViewModelStore

extension DaemonFeature {
    /// A PostgreSQL database that the daemons of several machines share, in place of SQLite.
    ///
    /// The key `store.url` of the configuration selects it.
    public static var sharedStore: DaemonFeature { DaemonFeature(SharedStoreFeature()) }
}

/// The database that machines share.
struct SharedStoreFeature: Feature {
    var keys: FeatureKeys { FeatureKeys(SharedStoreSettings.keys + NodeSettings.keys + VaultSettings.keys) }
    var commands: [any ParsableCommand.Type] { [StoreCommand.self] }

    func store(_ configuration: DaemonConfiguration) throws(StoreError) -> SelectedStore? {
        let settings = configuration[SharedStoreSettings.self]
        guard let url = settings.url?.rawValue else { return nil }
        // A wrong address is an error before the start. The password is read at the start.
        _ = try ConnectionSettings(url: url)
        let nodeName = configuration[NodeSettings.self].name?.rawValue ?? Self.hostName
        return SelectedStore(
            key: "store.url",
            remedy: "use PostgreSQL's pg_dump and pg_restore"
        ) { local, repairsVault, logger throws(StoreError) in
            let password = PasswordSource(
                file: settings.passwordFile?.rawValue,
                credentialsDirectory: local.credentialsDirectory,
                program: local.program
            )
            var shared = PostgresConfiguration(try ConnectionSettings(url: url, password: password), nodeName: nodeName)
            shared.leaseDuration = .seconds(settings.leaseSeconds)
            shared.bounds = local.bounds
            let key = try await Blocking.run { VaultKeySource(local, logger: logger) }
            return try await PostgresStorage.open(shared, key: key, acceptsOtherKey: repairsVault, logger: logger)
        }
    }

    private static var hostName: String {
        // The last byte stays 0, also if the name is cut.
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
