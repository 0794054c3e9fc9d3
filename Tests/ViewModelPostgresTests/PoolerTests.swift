import Logging
import PostgresSupport
import Testing
import ViewModelStorage

@testable import ViewModelPostgres

@Suite(.enabled(if: PostgresServer.isWanted && Bouncer.isWanted, "PostgreSQL 15 or pgbouncer is not installed"))
struct PoolerTests {
    @Test(arguments: ["transaction", "statement"])
    func `pgbouncer is refused by name if it does not keep connections together`(mode: String) async throws {
        let bouncer = try await Bouncer.start(mode, to: PostgresServer.start())
        let error = await #expect(throws: StoreError.self) { try await PoolerCheck.run(bouncer.settings) }
        #expect(error?.kind == .misconfigured, "\(error?.description ?? "")")
        #expect(error?.description.contains("pgbouncer") == true)
        #expect(error?.description.contains("pool_mode = session") == true)
    }

    @Test func `a server without a pooler, and pgbouncer in session mode, are accepted`() async throws {
        let server = try await PostgresServer.start()
        try await PoolerCheck.run(try server.settings())
        let bouncer = try await Bouncer.start("session", to: server)
        try await PoolerCheck.run(bouncer.settings)
        // All that the daemon relies on works there.
        let pool = ConnectionPool(bouncer.settings, logger: Logger(label: "test"))
        try await PostgresSchema.migrate(pool)
        let listener = NotificationListener(settings: bouncer.settings, channel: "talk", logger: Logger(label: "test"))
        let (events, continuation) = AsyncStream.makeStream(of: String?.self)
        let task = Task { await listener.run { continuation.yield($0) } }
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == .some(nil))
        try await pool.rows("SELECT pg_notify('talk', 'hello')")
        #expect(await iterator.next() == "hello")
        task.cancel()
        await task.value
    }
}
