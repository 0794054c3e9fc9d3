import Dispatch
import Logging
import PostgresSupport
import Synchronization
import TestSupport
import Testing
import ViewModelStorage

@testable import ViewModelPostgres

/// What the pool does while the database or the network is away.
@Suite(.postgres) struct OutageTests {
    private func relayed(
        _ server: PostgresServer,
        _ change: (inout ConnectionSettings) -> Void = { _ in }
    ) async throws -> (pool: ConnectionPool, relay: Relay) {
        let relay = try Relay(to: server)
        var settings = try server.settings(port: relay.port)
        change(&settings)
        let pool = ConnectionPool(settings, logger: Logger(label: "test"))
        try await PostgresSchema.migrate(pool)
        return (pool, relay)
    }

    @Test func `a transaction finds a server again that has crashed, and outlives a restart`() async throws {
        let server = try await PostgresServer.start()
        let pool = try await server.pool()
        // Several idle connections, all of which the server closes.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { try await pool.rows("SELECT pg_sleep(0.05)") } }
            try await group.waitForAll()
        }
        try await server.stop("QUIT")
        let error = await #expect(throws: StoreError.self) {
            try await pool.rows("SELECT 1", limit: .milliseconds(300))
        }
        #expect(error?.kind == .unavailable)
        #expect(!pool.health.isHealthy)
        try await server.start()
        try await pool.transaction(limit: .seconds(20)) { try $0.queue("INSERT INTO outbox_total VALUES (1, 1, 1)") }
        #expect(pool.health.isHealthy)

        // A transaction outlives a restart within its time limit.
        try await server.stop()
        async let write = pool.transaction(limit: .seconds(60)) { transaction in
            try transaction.rows("INSERT INTO outbox_total VALUES (2, 1, 1) RETURNING uid").count
        }
        try await server.start()
        #expect(try await write == 1)
    }

    @Test func `a dead network ends a call at its time limit`() async throws {
        let (pool, relay) = try await relayed(PostgresServer.shared())
        relay.die()
        let error = await #expect(throws: StoreError.self) {
            try await pool.rows("SELECT 1", limit: .milliseconds(200))
        }
        #expect(error?.kind == .unavailable)
        #expect(!pool.health.isHealthy)
        relay.revive()
        #expect(try await pool.rows("SELECT 1", limit: .seconds(20)).count == 1)
        #expect(pool.health.isHealthy)
        relay.stop()
    }

    @Test func `a lost connection before the commit runs the transaction again`() async throws {
        let (pool, relay) = try await relayed(PostgresServer.shared()) { $0.transactionLimit = .seconds(30) }
        let runs = Counter()
        try await pool.transaction { transaction in
            try transaction.rows("INSERT INTO outbox_total VALUES (1, 1, 1)")
            if runs.next() == 1 { relay.cut() }
            try transaction.rows("INSERT INTO outbox_total VALUES (2, 1, 1)")
        }
        #expect(runs.value == 2)
        #expect(try await pool.rows("SELECT FROM outbox_total").count == 2)
        relay.stop()
    }

    /// Whether the connection is closed or stays silent after the commit, whether the transaction may run twice, and how
    /// often it runs.
    @Test(arguments: [(false, false, 1), (true, false, 1), (true, true, 2)])
    func `a lost answer to the commit is an unknown outcome, unless the transaction may run twice`(
        cuts: Bool,
        isIdempotent: Bool,
        expectedRuns: Int
    ) async throws {
        let (pool, relay) = try await relayed(PostgresServer.shared()) { $0.maximumConnections = 1 }
        let runs = Counter()
        let limit = Duration.seconds(cuts ? 30 : 10)
        var error: StoreError?
        do {
            try await pool.transaction(isIdempotent: isIdempotent, limit: limit) { transaction in
                if runs.next() == 1 { relay.swallow("COMMIT", cuts: cuts) }
                try transaction.queue("DELETE FROM outbox_total")
                try transaction.queue("INSERT INTO outbox_total VALUES (1, 1, 1)")
            }
        } catch let failure as StoreError {
            error = failure
        }
        #expect(error?.kind == (isIdempotent ? nil : .unavailable))
        #expect(error?.isOutcomeUnknown == (isIdempotent ? nil : true))
        #expect(runs.value == expectedRuns)
        #expect(try await pool.rows("SELECT FROM outbox_total").count == 1)
        relay.stop()
    }

    @Test func `an item whose claim got no answer is queued again`() async throws {
        let server = try await PostgresServer.start()
        let farm = try await Farm(on: server)
        let relay = try Relay(to: server)
        var settings = try farm.settings(behind: relay, of: server)
        settings.transactionLimit = .seconds(20)
        let storage = try await farm.open { [settings] in $0.settings = settings }
        let outbox = try #require(storage.outbox as? PostgresOutbox)
        _ = try await outbox.add("text", of: 1000)

        relay.swallow("sending")
        let claim = Task { try await outbox.claim(nil, of: 1000) }
        while try await farm.pool.rows("SELECT FROM outbox WHERE status = 'sending'").isEmpty {}
        relay.die()
        await #expect(throws: StoreError.self) { try await claim.value }

        relay.revive()
        try await outbox.queueAbandoned()
        #expect(try await outbox.items(of: 1000).map(\.status) == [.queued])
        try await storage.close()
        relay.stop()
    }

    @Test func `an item that is being delivered is not queued again, and refused claims leave nothing`() async throws {
        let farm = try await Farm()
        let storage = try await farm.open()
        let outbox = try #require(storage.outbox as? PostgresOutbox)
        _ = try await outbox.add("text", of: 1000)
        try await farm.pool.refuse("UPDATE ON outbox")
        for _ in 0..<3 { await #expect(throws: StoreError.self) { try await outbox.claim(nil, of: 1000) } }
        #expect(outbox.activeClaims == 0)
        try await farm.pool.rows("DROP TRIGGER refuse ON outbox")
        let item = try #require(await outbox.claim(nil, of: 1000))
        try await outbox.queueAbandoned()
        #expect(try await outbox.items(of: 1000).map(\.status) == [.sending])
        #expect(try await outbox.countAttempt(item.id, of: 1000, problem: nil) != nil)
        #expect(try await outbox.finish(item.id, of: 1000, .sent) != nil)
        #expect(outbox.activeClaims == 0)
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
        #expect(pool.health.isHealthy)
    }

    @Test func `a node that is stopped in a transaction loses its locks`() async throws {
        let other = try await PostgresServer.shared().pool()
        // The server ends a transaction that is idle for half of this time.
        let pool = other.another { $0.statementLimit = .seconds(10) }
        try await other.rows("INSERT INTO outbox_total VALUES (1, 1, 1)")
        let error = await #expect(throws: StoreError.self) {
            try await pool.transaction(limit: .seconds(60)) { transaction in
                try transaction.rows("UPDATE outbox_total SET items = 2")
                // The server ends the idle transaction, which the other node waits for.
                let isFree = DispatchSemaphore(value: 0)
                Task {
                    _ = try? await other.rows("UPDATE outbox_total SET items = 3", limit: .seconds(30))
                    isFree.signal()
                }
                isFree.wait()
                throw StoreError(.failed, "The test", "is done")
            }
        }
        #expect(error?.kind == .failed || error?.kind == .unavailable)
        let row = try #require(await other.rows("SELECT items FROM outbox_total").first)
        #expect(try row.integer("items", as: Int.self) == 3)
    }
}
