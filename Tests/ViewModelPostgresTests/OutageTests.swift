import Dispatch
import Logging
import PostgresSupport
import Synchronization
import TestSupport
import Testing
import ViewModelStorage

@testable import ViewModelPostgres

/// What the pool does while the database or the network is away.
@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL 15 is not installed"))
struct OutageTests {
    private func relayed(
        _ server: PostgresServer,
        _ change: (inout ConnectionSettings) -> Void = { _ in }
    ) async throws -> (pool: ConnectionPool, relay: Relay) {
        let relay = try Relay(to: server)
        var settings = try server.settings(port: relay.port)
        change(&settings)
        let pool = ConnectionPool(settings, logger: Logger(label: "test"))
        try await Schema.migrate(pool)
        return (pool, relay)
    }

    private func outcome(_ body: () async throws -> Void) async -> Result<Void, any Error> {
        do {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }

    @Test func `after a crash of the server the next transaction finds it again`() async throws {
        let server = try await PostgresServer.start()
        let pool = try await server.pool()
        // Several idle connections, all of which the server closes.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { try await pool.rows("SELECT pg_sleep(0.05)") } }
            try await group.waitForAll()
        }
        try await server.stop("QUIT")
        let error = await #expect(throws: PostgresError.self) {
            try await pool.rows("SELECT 1", limit: .milliseconds(300))
        }
        #expect(error?.kind == .unavailable)
        #expect(!pool.isHealthy)
        try await server.start()
        try await pool.transaction(limit: .seconds(20)) { try $0.queue("INSERT INTO outbox_total VALUES (1, 1, 1)") }
        #expect(pool.isHealthy)
        await pool.close()
    }

    @Test func `a transaction outlives a restart of the server within its time limit`() async throws {
        let server = try await PostgresServer.start()
        let pool = try await server.pool()
        try await server.stop()
        async let write = pool.transaction(limit: .seconds(60)) { transaction in
            try transaction.change("INSERT INTO outbox_total VALUES (1, 1, 1)")
        }
        try await server.start()
        #expect(try await write == 1)
        await pool.close()
    }

    @Test func `a dead network ends a call at its time limit`() async throws {
        let (pool, relay) = try await relayed(PostgresServer.shared())
        relay.die()
        let error = await #expect(throws: PostgresError.self) {
            try await pool.rows("SELECT 1", limit: .milliseconds(200))
        }
        #expect(error?.kind == .unavailable)
        #expect(!pool.isHealthy)
        relay.revive()
        #expect(try await pool.rows("SELECT 1", limit: .seconds(20)).count == 1)
        #expect(pool.isHealthy)
        relay.stop()
        await pool.close()
    }

    @Test func `a lost connection before the commit runs the transaction again`() async throws {
        let (pool, relay) = try await relayed(PostgresServer.shared()) { $0.transactionLimit = .seconds(30) }
        let runs = Counter()
        try await pool.transaction { transaction in
            try transaction.change("INSERT INTO outbox_total VALUES (1, 1, 1)")
            if runs.next() == 1 { relay.cut() }
            try transaction.change("INSERT INTO outbox_total VALUES (2, 1, 1)")
        }
        #expect(runs.value == 2)
        #expect(try await pool.rows("SELECT FROM outbox_total").count == 2)
        relay.stop()
        await pool.close()
    }

    @Test func `a lost answer to the commit is an unknown outcome, unless the transaction may run twice`() async throws
    {
        let (pool, relay) = try await relayed(PostgresServer.shared()) { $0.maximumConnections = 1 }
        relay.swallow("COMMIT")
        let runs = Counter()
        let error = await #expect(throws: PostgresError.self) {
            try await pool.transaction(limit: .seconds(10)) { transaction in
                _ = runs.next()
                try transaction.change("INSERT INTO outbox_total VALUES (1, 1, 1)")
            }
        }
        #expect(error?.kind == .unavailable)
        #expect(error?.isOutcomeUnknown == true)
        #expect(runs.value == 1)
        #expect(try await pool.rows("SELECT FROM outbox_total").count == 1)
        relay.stop()
        await pool.close()
    }

    @Test func `a connection that is cut after the commit repeats only what may run twice`() async throws {
        let (pool, relay) = try await relayed(PostgresServer.shared()) { $0.transactionLimit = .seconds(30) }
        for isIdempotent in [false, true] {
            let runs = Counter()
            let result = await outcome {
                try await pool.transaction(isIdempotent: isIdempotent) { transaction in
                    if runs.next() == 1 { relay.swallow("COMMIT", cuts: true) }
                    try transaction.queue("DELETE FROM outbox_total")
                    try transaction.queue("INSERT INTO outbox_total VALUES (1, 1, 1)")
                }
            }
            #expect(runs.value == (isIdempotent ? 2 : 1))
            switch result {
            case .success: #expect(isIdempotent)
            case .failure(let error): #expect(!isIdempotent && (error as? PostgresError)?.isOutcomeUnknown == true)
            }
            #expect(try await pool.rows("SELECT FROM outbox_total").count == 1)
        }
        relay.stop()
        await pool.close()
    }

    @Test func `an item whose claim got no answer is queued again`() async throws {
        let server = try await PostgresServer.start()
        let (pool, relay) = try await relayed(server) { $0.transactionLimit = .seconds(20) }
        let directory = try TemporaryDirectory()
        let logger = Logger(label: "test")
        let key = VaultKeySource(
            program: "viewmodeld",
            keyFile: nil,
            credentialsDirectory: nil,
            directory: directory.path,
            logger: logger
        )
        var configuration = PostgresConfiguration(pool.settings, nodeName: "a")
        configuration.leaseDuration = .seconds(600)
        let storage = try await PostgresStorage.open(configuration, key: key, logger: logger)
        let outbox = try #require(storage.outbox as? PostgresOutbox)
        _ = try await outbox.add("text", of: 1000)

        relay.swallow("sending")
        async let claimed = outcome { _ = try await outbox.claim(of: 1000) }
        var settings = try server.settings()
        settings.schema = pool.settings.schema
        let direct = ConnectionPool(settings, logger: logger)
        while try await direct.rows("SELECT FROM outbox WHERE status = 'sending'").isEmpty {}
        relay.die()
        let answer = await claimed
        #expect(throws: StoreError.self) { try answer.get() }

        relay.revive()
        try await outbox.queueAbandoned()
        #expect(try await outbox.items(of: 1000).map(\.status) == [.queued])
        await direct.close()
        await pool.close()
        try await storage.close()
        relay.stop()
    }

    @Test func `a claim that the database has refused is not looked for later`() async throws {
        let farm = try await Farm()
        let storage = try await farm.open()
        let outbox = try #require(storage.outbox as? PostgresOutbox)
        _ = try await outbox.add("text", of: 1000)
        try await farm.pool.rows(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'; END $$
            """
        )
        try await farm.pool.rows("CREATE TRIGGER refuse BEFORE UPDATE ON outbox FOR EACH ROW EXECUTE FUNCTION refuse()")
        for _ in 0..<3 { await #expect(throws: StoreError.self) { try await outbox.claim(of: 1000) } }
        let claims = outbox.unknownClaims.withLock { $0 }
        #expect(claims.isEmpty)
        try await farm.pool.rows("DROP TRIGGER refuse ON outbox")
        #expect(try await outbox.claim(of: 1000)?.text == "text")
        try await storage.close()
    }

    @Test func `idle connections do not hide that no connection can be opened`() async throws {
        let server = try await PostgresServer.start(settings: [
            "max_connections = 4", "superuser_reserved_connections = 0",
        ])
        let pool = try await server.pool {
            $0.maximumConnections = 8
            $0.transactionLimit = .seconds(60)
        }
        // More callers than the server accepts connections.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { try await pool.rows("SELECT pg_sleep(0.02)") } }
            try await group.waitForAll()
        }
        #expect(pool.isHealthy)
        await pool.close()
    }

    @Test func `a node that is stopped in a transaction loses its locks`() async throws {
        let other = try await PostgresServer.shared().pool()
        // The server ends a transaction that is idle for half of this time.
        let pool = other.another { $0.statementLimit = .seconds(10) }
        try await other.rows("INSERT INTO outbox_total VALUES (1, 1, 1)")
        let error = await #expect(throws: PostgresError.self) {
            try await pool.transaction(limit: .seconds(60)) { transaction in
                try transaction.change("UPDATE outbox_total SET items = 2")
                // The server ends the idle transaction, which the other node waits for.
                let isFree = DispatchSemaphore(value: 0)
                Task {
                    _ = try? await other.rows("UPDATE outbox_total SET items = 3", limit: .seconds(30))
                    isFree.signal()
                }
                isFree.wait()
                throw PostgresError(.failed, "done")
            }
        }
        #expect(error?.kind == .failed || error?.kind == .unavailable)
        let row = try #require(await other.rows("SELECT items FROM outbox_total").first)
        #expect(try row.integer("items", as: Int.self) == 3)
        await other.close()
        await pool.close()
    }
}
