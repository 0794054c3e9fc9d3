import Foundation
package import Logging
import ViewModelPostgres
package import ViewModelStorage
import ViewModelStore

/// The store of test suites that hold for every store: SQLite, or PostgreSQL with `VIEWMODELD_TEST_STORE=postgresql`.
package enum TestStore {
    /// Whether the suites use PostgreSQL.
    package static let isShared = ProcessInfo.processInfo.environment["VIEWMODELD_TEST_STORE"] == "postgresql"

    /// Opens the store of a directory.
    ///
    /// With PostgreSQL, each directory has a schema of its own in the common server. The directory then has the key of the
    /// vault only.
    ///
    /// - Parameters:
    ///   - directory: an existing directory, which no other process uses.
    ///   - node: the name of the node, if several stores are open.
    ///   - busyTimeout: the time that SQLite waits for another process.
    ///   - logger: the log.
    /// - Returns: the store.
    /// - Throws: `StoreError`, or `PostgresServer.Failure`.
    package static func open(
        in directory: String,
        node: String = "node",
        busyTimeout: Duration = .seconds(5),
        logger: Logger
    ) async throws -> any StateStorage {
        var local = StateStoreConfiguration(directory: directory)
        local.credentialsDirectory = nil
        local.busyTimeout = busyTimeout
        guard isShared else { return try await StateStore.open(local, logger: logger) }
        var settings = try await PostgresServer.shared().settings()
        settings.schema = schema(of: directory)
        var configuration = PostgresConfiguration(settings, nodeName: node)
        // Tests do not renew the lease.
        configuration.leaseDuration = .seconds(600)
        let key = VaultKeySource(local, logger: logger)
        return try await PostgresStorage.open(configuration, key: key, logger: logger)
    }

    /// The settings of a daemon's configuration file that select the store; empty for SQLite.
    package static func daemonSettings() async throws -> String {
        guard isShared else { return "" }
        return "store: {url: \"\(try await PostgresServer.shared().createDatabase())\"}\n"
    }

    private static func schema(of directory: String) -> String {
        "test_" + String(directory.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.suffix(50))
    }
}
