import GRDB
public import Logging
public import ViewModelHost

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// All that outlasts the daemon, in one SQLite file of its state directory.
///
/// Isolation: used from anywhere. No call blocks its caller's thread: SQLite runs on queues of its own, and an idle store wakes
/// nobody up. A call that has begun is not cancelled with its task, so that what was done is always told. What returned from a
/// writing call outlasts a power failure.
public final class StateStore: Sendable {
    /// The tokens, encrypted.
    public let vault: Vault
    /// What was fetched and may be shown again.
    public let cache: Cache
    /// What is to be delivered.
    public let outbox: Outbox
    /// The accounts that live on this machine.
    public let accounts: LocalAccounts
    /// What named sessions leave behind.
    package let sessions: SessionArchive

    /// Where a server saves its sessions.
    public var sessionStore: any Store { sessions }

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

    /// Does what the first store of a process takes and no file is needed for, some milliseconds' work; a program may call it
    /// beside other preparations, and need not.
    public static func prepare() {
        // An error comes again when a store is opened.
        _ = Migrations.newFile
        // What is asked of each store first, here of one without a row.
        try? Migrations.model.get().write { db in
            try recover(db, StateStoreConfiguration(directory: ""))
            _ = try Vault.usedKeys(db)
            _ = try Outbox.items(db, 0)
        }
        _ = VaultKey.random()
    }

    /// Opens the store, or makes it where there is none; the directory must exist.
    ///
    /// One process at a time: SQLite does not keep a second one out, so the caller holds a lock on the directory.
    /// Checks the file, brings it to this version, makes `vault.key` where it is needed, and queues what was being sent when
    /// the last daemon died. Takes some milliseconds for each megabyte of the file. While another process holds the file,
    /// opening waits for up to ``StateStoreConfiguration/openingPatience``, and the log says so.
    ///
    /// - Throws: `StoreError`, and nothing has been changed but by a migration that succeeded: a damaged file or one of a newer
    ///   version stays as it is.
    public static func open(
        _ configuration: StateStoreConfiguration,
        logger: Logger
    ) async throws(StoreError) -> StateStore {
        let end = ContinuousClock.now + configuration.openingPatience
        var isWaiting = false
        while true {
            do {
                return try await Blocking.run { () throws(StoreError) in
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
                // SQLite has waited already, except where waiting is in vain.
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    private static func recover(_ db: Database, _ configuration: StateStoreConfiguration) throws {
        try Outbox.recover(db)
        try Cache.removeExpired(db, now: configuration.clock(), maximumAge: configuration.cacheMaximumAge)
    }

    /// Takes other bounds for what users leave behind; they hold from the next write on.
    public func limit(outboxItems: Int, outboxBytes: Int, savedSessions: Int, savedBytes: Int) {
        outbox.limit(toItems: outboxItems, bytes: outboxBytes)
        sessions.limit(toSessions: savedSessions, bytes: savedBytes)
    }

    /// The state of the storage: a few system calls, no SQLite.
    ///
    /// It is healthy while the directory can be written and the latest write did not fail.
    package func health() -> StorageHealth {
        StorageHealth(
            path: configuration.directory,
            bytes: database.bytes(),
            healthy: access(configuration.directory, W_OK | X_OK) == 0 && !database.isFailing
        )
    }

    /// Finds out whether the storage works: makes a write that changes nothing, waits for the disk, and answers.
    ///
    /// Where the storage hangs there is no answer. An error is one: what a write would throw now.
    ///
    /// - Parameter answer: called once, on a thread of the storage's own.
    public func probe(_ answer: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        database.probe(answer)
    }

    /// Closes the file after all that was begun; later calls throw `StoreError.Kind.closed`.
    public func close() async throws(StoreError) {
        let database = database
        try await Blocking.run { () throws(StoreError) in try database.close() }
    }
}
