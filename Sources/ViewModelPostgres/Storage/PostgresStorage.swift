package import Logging
import Synchronization
package import ViewModelHost
import ViewModelProtocol
package import ViewModelStorage

/// The store in a PostgreSQL database that several nodes share.
///
/// ``run(_:)`` must run as long as the store is used: it renews the lease of this node, without which other nodes take over
/// its sessions.
///
/// Isolation: used from anywhere. No call blocks its caller's thread. The effect of a write outlasts a crash of the server
/// once the call has returned.
package final class PostgresStorage: StateStorage {
    package var vaultRecords: any VaultRecords { PostgresVault(database: database) }
    package let vaultKeys: VaultKeys
    package var cache: any Cache { PostgresCache(database: database) }
    package var outbox: any Outbox { items }
    package var accounts: any LocalAccounts { PostgresAccounts(database: database) }
    package var sessions: any Store { nodes }
    package var userNumbers: any UserNumbers { PostgresUserNumbers(database: database) }
    package var sharing: (any SharedStorage)? { self }
    package var placement: (any SessionPlacement)? { nodes }

    let database: SharedDatabase
    var lease: NodeLease { database.lease }
    private let items: PostgresOutbox
    let nodes: PostgresSessions
    /// The size of the tables with their indexes in bytes.
    private let bytes = Atomic(0)
    private let logger: Logger

    private init(_ database: SharedDatabase, _ keys: VaultKeys, logger: Logger) {
        self.database = database
        vaultKeys = keys
        self.logger = logger
        nodes = PostgresSessions(database, keys, logger: logger)
        items = PostgresOutbox(database)
    }

    /// Connects to the database, migrates its tables, and registers this node.
    ///
    /// - Parameters:
    ///   - configuration: the settings.
    ///   - source: the source of the vault's key.
    ///   - acceptsOtherKey: whether the vault's key may differ from the one of the other nodes, for commands that repair
    ///     the vault. They register no node.
    ///   - logger: the log.
    /// - Returns: the store.
    /// - Throws: `StoreError`: `unavailable` if the database cannot be reached; `misconfigured` for a wrong user, password or
    ///   certificate, and for a pooler in transaction mode; `newerFile` for tables of a newer version, which stay unchanged;
    ///   `wrongKey` if the other nodes have another vault key.
    package static func open(
        _ configuration: PostgresConfiguration,
        key source: VaultKeySource,
        acceptsOtherKey: Bool = false,
        logger: Logger
    ) async throws(StoreError) -> PostgresStorage {
        let database = SharedDatabase(configuration, logger: logger)
        let pool = database.pool
        let end = ContinuousClock.now + configuration.startPatience
        do {
            let records = PostgresVault(database: database)
            let used = try await repeating(until: end, database) {
                try await PoolerCheck.run(pool.settings, pool.notices)
                try await PostgresSchema.migrate(pool)
                try await database.synchronizeClock()
                return try await records.keys()
            }
            let keys = try await Blocking.run { () throws(StoreError) in
                try VaultKeys(source, used: used, in: database.label)
            }
            let storage = PostgresStorage(database, keys, logger: logger)
            try await repeating(until: end, database) {
                try await storage.measure()
                guard !acceptsOtherKey else { return }
                try await PostgresSchema.checkKey(keys.current.id, pool)
                if let key = keys.moved(used) { try await records.record(key) }
                try await database.lease.register()
                try await storage.items.queueAbandoned()
                try await DatabaseTrust.check(pool, logger: logger)
            }
            pool.health.hasStarted.store(true, ordering: .relaxed)
            return storage
        } catch {
            await database.close()
            throw error
        }
    }

    /// Runs a part of the start, and repeats it while the database is not available, until `end`.
    ///
    /// A start that failed at once would reach the service manager's limit of starts while the database is away.
    private static func repeating<Value>(
        until end: ContinuousClock.Instant,
        _ database: SharedDatabase,
        _ body: () async throws -> Value
    ) async throws(StoreError) -> Value {
        var backoff = Backoff(initial: .milliseconds(100), maximum: .seconds(1))
        while true {
            do throws(StoreError) {
                return try await database.withStoreErrors(body)
            } catch {
                guard error.kind == .unavailable, .now < end, (try? await Task.sleep(for: backoff.delay())) != nil
                else { throw error }
            }
        }
    }

    /// Queues what nodes had claimed that have died, and keeps the clock.
    ///
    /// The lease must not wait for it.
    private func cleanUp() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: lease.duration / 3)
            do {
                try await database.pool.testWrites()
                try await database.synchronizeClock()
                try await items.queueAbandoned()
            } catch {
                logger.debug("The claims of dead nodes were not ended", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Measures the size of the tables and trims the cache once a minute.
    private func keepMeasuring() async {
        while (try? await Task.sleep(for: .seconds(60))) != nil {
            for work in [measure, cache.trim] as [() async throws -> Void] {
                do {
                    try await work()
                } catch {
                    logger.debug("The database was not measured or trimmed", metadata: ["error": "\(error)"])
                }
            }
        }
    }

    private func measure() async throws {
        let rows = try await database.pool.rows(
            """
            SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint AS bytes FROM pg_class
            WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
            """
        )
        if let bytes = try rows.first?.integer("bytes", as: Int.self) { self.bytes.store(bytes, ordering: .relaxed) }
    }

    package func adopt(_ bounds: StoreBounds) {
        database.bounds = bounds
    }

    /// Returns what the latest transaction found.
    ///
    /// The lease makes one every few seconds.
    package func health() -> StorageHealth {
        StorageHealth(
            path: database.label,
            bytes: bytes.load(ordering: .relaxed),
            healthy: database.pool.health.isHealthy
        )
    }

    /// Answers at once: a database that is away must not end the daemon, which does what it can without it.
    package func probe(_ answer: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        answer(.success(()))
    }

    /// Gives up the lease and with it all claims, and closes the connections after all calls that have begun.
    ///
    /// Later calls throw `StoreError.Kind.closed`. If the database cannot be reached, the lease ends by itself.
    package func close() async throws(StoreError) {
        do {
            try await lease.release()
            try await items.queueAbandoned()
            await database.feed.flush()
        } catch {
            logger.warning("The lease of this node was not given up", metadata: ["error": "\(error)"])
        }
        await database.close()
    }
}

extension PostgresStorage: SharedStorage {
    package func run(_ report: @escaping @Sendable (StorageChange) async -> Bool) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.lease.keep(self.logger) { await self.nodes.reportLost() } }
            group.addTask { await self.cleanUp() }
            group.addTask { await self.keepMeasuring() }
            group.addTask {
                await self.database.feed.run(report) { hint in await self.nodes.receive(hint) }
            }
        }
    }

    package func forget(_ uid: UInt32) { database.feed.forget(Int64(uid)) }

    /// The longest time of a refresh.
    private static let refreshLimit = 60.0

    package func beginRefresh(of uid: UInt32, provider: String) async throws(StoreError) -> Bool {
        try await !database.pool.rows(
            """
            INSERT INTO token_refresh AS t (uid, provider, boot, until)
            VALUES ($1, $2, $3, clock_timestamp() + make_interval(secs => $4))
            ON CONFLICT (uid, provider) DO UPDATE SET boot = excluded.boot, until = excluded.until
            WHERE t.boot = excluded.boot OR t.until < clock_timestamp() OR NOT EXISTS (
                SELECT FROM node n WHERE n.boot = t.boot AND \(NodeLease.holds)
            )
            RETURNING boot
            """,
            [.number(uid), .text(provider), .text(database.boot), .real(Self.refreshLimit)]
        ).isEmpty
    }

    package func endRefresh(of uid: UInt32, provider: String) async {
        do {
            try await database.pool.rows(
                "DELETE FROM token_refresh WHERE uid = $1 AND provider = $2 AND boot = $3",
                [.number(uid), .text(provider), .text(database.boot)]
            )
        } catch {
            logger.warning("The end of a token's refresh was not recorded", metadata: ["error": "\(error)"])
        }
    }
}
