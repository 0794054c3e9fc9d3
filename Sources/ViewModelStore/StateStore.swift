import Dispatch
import GRDB
public import Logging
public import ViewModelHost

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The store: all data that outlasts the daemon, in one SQLite file in the state directory.
///
/// Isolation: used from anywhere. No call blocks its caller's thread, because SQLite runs on queues of its own. An idle
/// store causes no wake-ups. Cancellation does not stop a call that has begun, so its outcome is always reported. The
/// effect of a write outlasts a power failure once the call has returned.
public final class StateStore: Sendable {
    /// The encrypted account tokens.
    package let vault: Vault
    /// The cached account pages.
    package let cache: Cache
    /// The messages to be delivered.
    package let outbox: Outbox
    /// The accounts that the daemon itself keeps.
    package let accounts: LocalAccounts
    /// The saved sessions.
    package let sessions: SessionArchive

    /// The store of a server's saved sessions.
    public var sessionStore: SessionStore { SessionStore(sessions) }

    private let configuration: StateStoreConfiguration
    private let database: DatabaseFile

    private init(_ configuration: StateStoreConfiguration, database: DatabaseFile, vault: Vault) {
        self.configuration = configuration
        self.database = database
        self.vault = vault
        let clock = configuration.clock
        cache = Cache(
            database: database,
            maximumBytes: configuration.cacheMaximumBytes,
            maximumAge: configuration.cacheMaximumAge,
            clock: clock
        )
        outbox = Outbox(
            database: database,
            items: configuration.outboxItemsPerUser,
            bytes: configuration.outboxBytesPerUser,
            clock: clock
        )
        accounts = LocalAccounts(database: database)
        sessions = SessionArchive(
            database: database,
            sessions: configuration.savedSessionsPerUser,
            bytes: configuration.savedBytesPerSession,
            clock: clock
        )
    }

    /// Performs the part of the first opening that needs no file, which lasts some milliseconds.
    ///
    /// The call is optional. A program may run it concurrently with other preparations.
    package static func prepare() {
        // If this fails, opening a store throws the same error.
        _ = Migrations.newFile
        // The first queries of every store, here on an empty one.
        try? Migrations.model.get().write { db in
            try recover(db, StateStoreConfiguration(directory: ""))
            _ = try Vault.usedKeys(db)
            _ = try Outbox.items(db, 0)
        }
        _ = VaultKey.random()
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
                    try database.blockingWrite { try recover($0, configuration) }
                    let vault = try Vault(
                        database: database,
                        source: VaultKeySource(configuration, logger: logger),
                        logger: logger
                    )
                    return StateStore(configuration, database: database, vault: vault)
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

    private static func recover(_ db: Database, _ configuration: StateStoreConfiguration) throws {
        try Outbox.recover(db)
        try Cache.removeExpired(db, now: configuration.clock(), maximumAge: configuration.cacheMaximumAge)
    }

    /// Changes the bounds of outboxes and saved sessions, which apply from the next write on.
    package func limit(outboxItems: Int, outboxBytes: Int, savedSessions: Int, savedBytes: Int) {
        outbox.limit(toItems: outboxItems, bytes: outboxBytes)
        sessions.limit(toSessions: savedSessions, bytes: savedBytes)
    }

    /// Returns the health of the storage.
    ///
    /// It costs a few system calls and no query.
    ///
    /// The storage is healthy if the directory is writable and the latest write did not fail.
    package func health() -> StorageHealth {
        StorageHealth(
            path: configuration.directory,
            bytes: database.bytes(),
            healthy: access(configuration.directory, W_OK | X_OK) == 0 && !database.isFailing
        )
    }

    /// Tests the storage with a write that changes nothing, and answers when the disk has synced it.
    ///
    /// If the storage hangs, the answer is never called. An error is the one that any write would throw now.
    ///
    /// - Parameter answer: called once, on a thread of the storage.
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

/// A helper for blocking work outside of event loops and Swift's cooperative threads.
enum Blocking {
    /// Runs `work` on a dispatch queue that serves only this call.
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            DispatchQueue(label: "viewmodeld.storage").async { continuation.resume(returning: Result(catching: work)) }
        }
        return try result.get()
    }
}
