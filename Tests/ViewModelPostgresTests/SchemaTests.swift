import Dispatch
import Logging
import PostgresSupport
import Testing
import ViewModelStorage

@testable import ViewModelPostgres

@Suite(.postgres) struct SchemaTests {
    private func emptyPool() async throws -> ConnectionPool {
        ConnectionPool(try await PostgresServer.shared().settings(), logger: Logger(label: "test"))
    }

    private func version(_ pool: ConnectionPool) async throws -> Int {
        try #require(await pool.rows("SELECT version FROM store").first).integer("version")
    }

    @Test func `nodes that start at once make the tables once`() async throws {
        let pool = try await emptyPool()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 {
                group.addTask {
                    let node = pool.another { $0.transactionLimit = .seconds(60) }
                    try await PostgresSchema.migrate(node)
                    await node.close()
                }
            }
            try await group.waitForAll()
        }
        #expect(try await version(pool) == PostgresSchema.versions.count)
        #expect(try await pool.rows("SELECT FROM store").count == 1)
    }

    @Test func `a migration that fails changes nothing`() async throws {
        let pool = try await emptyPool()
        try await PostgresSchema.migrate(pool, [PostgresSchema.version1])
        await #expect(throws: StoreError.self) {
            let second = ["CREATE TABLE added (n int)", "CREATE TABLE node (n int)"]
            try await PostgresSchema.migrate(pool, [PostgresSchema.version1, second])
        }
        #expect(try await version(pool) == 1)
        let row = try #require(await pool.rows("SELECT to_regclass('added') IS NULL AS is_missing").first)
        #expect(try row.truth("is_missing"))
    }

    @Test func `a start does not wait for the lock of migrations if there is nothing to migrate`() async throws {
        let pool = try await emptyPool()
        try await PostgresSchema.migrate(pool)
        try await pool.transaction { transaction in
            try transaction.rows("SELECT pg_advisory_xact_lock($1)", [.integer(PostgresSchema.lock)])
            let isDone = DispatchSemaphore(value: 0)
            Task {
                defer { isDone.signal() }
                await #expect(throws: Never.self) {
                    try await PostgresSchema.migrate(pool.another { $0.transactionLimit = .seconds(5) })
                }
            }
            isDone.wait()
        }
    }

    @Test func `the third version counts the bytes of what is saved, and keeps it`() async throws {
        let pool = try await emptyPool()
        try await PostgresSchema.migrate(pool, [PostgresSchema.version1, PostgresSchema.version2])
        try await pool.batch([
            ("INSERT INTO session (uid, name, used_at) VALUES (1, 'desk', 1), (1, 'sofa', 2)", []),
            ("INSERT INTO session_instance SELECT session, 0, 'ab', 'lab', '12' FROM session WHERE name = 'desk'", []),
            ("INSERT INTO session_value SELECT session, 'ab', 'text', '12345' FROM session WHERE name = 'desk'", []),
            ("INSERT INTO session_owner VALUES (1, 'desk', 'boot', 7, 3, 1, 1, '2026-01-01T00:00:00Z')", []),
            ("INSERT INTO cache VALUES (1, '{}', NULL, 1, 1, 2, 1)", []),
        ])
        try await PostgresSchema.migrate(pool)
        let sizes = try await pool.rows("SELECT bytes FROM session ORDER BY name").map {
            try $0.integer("bytes") as Int
        }
        #expect(sizes == [2 + 3 + 2 + 2 + 4 + 5, 0])
        for table in ["session_owner", "cache"] {
            #expect(try await pool.rows("SELECT FROM \(table)").count == 1, "\(table)")
        }
    }

    @Test func `a user without the right to make tables is refused with the remedy`() async throws {
        let server = try await PostgresServer.shared()
        let admin = ConnectionPool(try server.settings(), logger: Logger(label: "test"))
        try await admin.rows("CREATE ROLE reader LOGIN")
        let reader = ConnectionPool(try server.settings(user: "reader"), logger: Logger(label: "test"))
        let error = await #expect(throws: StoreError.self) { try await PostgresSchema.migrate(reader) }
        #expect(error?.kind == .misconfigured)
        #expect(error?.description.contains("Grant") == true)
        // A schema that an administrator has made for the user is enough.
        try await admin.rows("CREATE SCHEMA \(reader.settings.schema) AUTHORIZATION reader")
        try await PostgresSchema.migrate(reader)
    }
}
