import GRDB
import Glibc
public import Logging
import UnixIO
public import ViewModelHost
@_exported public import ViewModelStorage

/// The store: all data that outlasts the daemon, in one SQLite file in the state directory.
///
/// Isolation: used from anywhere. No call blocks its caller's thread, because SQLite runs on queues of its own. An idle
/// store causes no wake-ups. Cancellation does not stop a call that has begun, so its outcome is always reported. The
/// effect of a write outlasts a power failure once the call has returned.
public final class StateStore: StateStorage {
    package var vaultRecords: any VaultRecords { SQLiteVault(database: database) }
    package let vaultKeys: VaultKeys
    package var cache: any Cache { SQLiteCache(database: database) }
    package var outbox: any Outbox { SQLiteOutbox(database: database) }
    package var accounts: any LocalAccounts { SQLiteLocalAccounts(database: database) }
    package var sessions: any Store { SessionArchive(database: database) }
    package var userNumbers: any UserNumbers { SQLiteUserNumbers(database: database) }

    /// The store of a server's saved sessions.
    public var sessionStore: SessionStore { SessionStore(sessions) }

    private let directory: String
    let database: DatabaseFile

    private init(_ directory: String, database: DatabaseFile, keys: VaultKeys) {
        self.database = database
        self.directory = directory
        vaultKeys = keys
    }

    /// Performs the part of the first opening that needs no file, which lasts some milliseconds.
    ///
    /// The call is optional. A program may run it concurrently with other preparations.
    package static func prepare() {
        // If this fails, opening a store throws the same error.
        _ = Migrations.newFile
        // The first queries of every store, here on an empty one.
        try? Migrations.model.get().write { db in
            try recover(db, StoreBounds(), StoreClock())
            _ = try SQLiteVault.keys(db)
            _ = try SQLiteOutbox.items(db, 0)
        }
    }

    /// Opens the store, or creates it if it does not exist.
    ///
    /// A missing directory is created with mode 0700. The caller must hold a lock on it, because SQLite does not exclude a
    /// second process.
    ///
    /// Opening checks the file, migrates it to this version, creates `vault.key` if it is needed, and queues the items
    /// that were being sent when the former daemon died. It needs some milliseconds for each megabyte of the file.
    /// While another process holds the file, opening logs a warning and retries for
    /// ``StateStoreConfiguration/openTimeout``.
    ///
    /// - Throws: `StoreError`. A damaged file and a file of a newer version stay unchanged. A migration that succeeded
    ///   before the error is kept.
    public static func open(
        _ configuration: StateStoreConfiguration,
        logger: Logger
    ) async throws(StoreError) -> StateStore {
        let end = ContinuousClock.now + configuration.openTimeout
        var isWaiting = false
        while true {
            do {
                return try await Blocking.run { () throws(StoreError) in
                    try make(configuration.directory)
                    let database = try DatabaseFile(configuration, logger: logger)
                    let used = try database.blockingWrite { db in
                        try recover(db, configuration.bounds, database.ages)
                        return try SQLiteVault.keys(db)
                    }
                    let source = VaultKeySource(configuration, logger: logger)
                    let keys = try VaultKeys(source, used: configuration.hasVault ? used : nil, in: database.path)
                    if let key = keys.moved(used) { try database.blockingWrite { try SQLiteVault.record(key, $0) } }
                    return StateStore(configuration.directory, database: database, keys: keys)
                }
            } catch {
                guard error.kind == .locked, ContinuousClock.now < end, !Task.isCancelled else { throw error }
                if !isWaiting { logger.warning("Waiting for the database", metadata: ["reason": "\(error)"]) }
                isWaiting = true
                // SQLite has waited already, except for a lock that it does not wait for, such as a deadlock.
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    private static func make(_ directory: String) throws(StoreError) {
        do {
            try PrivateDirectory.make(directory)
        } catch {
            throw StoreError(.notWritable, directory, "cannot be used: \(error)")
        }
    }

    private static func recover(_ db: Database, _ bounds: StoreBounds, _ ages: StoreClock) throws {
        try ages.advance(db)
        try SQLiteOutbox.recover(db)
        try SQLiteCache.trim(db, bounds, now: ages.now)
    }

    package func adopt(_ bounds: StoreBounds) {
        database.bounds = bounds
    }

    /// Returns whether the directory is writable and the latest write did not fail.
    ///
    /// It costs a few system calls and no query.
    package func health() -> StorageHealth {
        StorageHealth(
            path: directory,
            bytes: database.bytes(),
            healthy: access(directory.cPath, W_OK | X_OK) == 0 && !database.isFailing
        )
    }

    package func probe(_ answer: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        database.probe(answer)
    }

    /// Closes the file after all calls that have begun.
    ///
    /// Later calls throw `StoreError.Kind.closed`.
    public func close() async throws(StoreError) {
        let database = database
        try await Blocking.run { () throws(StoreError) in try database.close() }
    }
}

extension VaultKeySource {
    /// Selects the source of the key of a state directory.
    ///
    /// The call blocks.
    package init(_ configuration: StateStoreConfiguration, logger: Logger = Logger(label: "viewmodeld.storage")) {
        self.init(
            program: configuration.program,
            keyFile: configuration.keyFile,
            credentialsDirectory: configuration.credentialsDirectory,
            directory: configuration.directory,
            logger: logger
        )
    }
}
