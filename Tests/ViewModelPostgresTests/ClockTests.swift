import FoundationEssentials
import Logging
import PostgresSupport
import Testing
import ViewModelHost
import ViewModelStorage

@testable import ViewModelPostgres

/// Ages in the shared store, which do not depend on any time of day.
@Suite(.postgres) struct ClockTests {
    private let desk = SessionKey(uid: 1000, name: "desk")
    private let sofa = SessionKey(uid: 1000, name: "sofa")

    private func save(_ key: SessionKey, on storage: PostgresStorage) async throws {
        let fence = try #require(await storage.claimAtOnce(key)).fence
        let value = SavedValue(key: SavedValue.Key(owner: "lab", name: "text"), text: Array("1".utf8))
        try await storage.sessions.save(SessionChanges(key: key, fence: fence, values: [value]))
    }

    private func names(_ farm: Farm) async throws -> [String] {
        try await farm.pool.rows("SELECT name FROM session ORDER BY used_at").map { try $0.text("name") }
    }

    @Test func `sessions that were used while the time of day was wrong are kept, and so are the others`() async throws
    {
        let farm = try await Farm()
        for seconds in [1_800_000_000.0, 0, 4_000_000_000, 1_800_000_060, 0, 1_800_000_120] {
            let storage = try await farm.open { $0.clock = { Date(timeIntervalSince1970: seconds) } }
            for key in [desk, sofa] { try await save(key, on: storage) }
            try await storage.cache.store(Array("{}".utf8), etag: nil, of: 1000)
            for days in [1, 30] { try await storage.sessions.eraseUnused(forDays: days) }
            try await storage.cache.remove(of: 1001)
            #expect(try await names(farm) == ["desk", "sofa"])
            #expect(try await storage.cache.entry(of: 1000) != nil)
            try await storage.close()
        }
    }

    @Test func `the time for which the nodes have run outlasts them, and each continues with the latest`() async throws
    {
        let farm = try await Farm()
        // Time passes only where the test says so.
        func open(_ name: String) async throws -> PostgresStorage {
            try await farm.open(name) { $0.uptime = { .zero } }
        }
        let a = try await open("a")
        a.database.ages.advance(to: 50_000_000)
        try await a.database.synchronizeClock()
        let b = try await open("b")
        #expect(b.database.ages.now == 50_000_000)
        b.database.ages.advance(to: 90_000_000)
        try await b.database.synchronizeClock()
        try await a.database.synchronizeClock()
        #expect(a.database.ages.now == 90_000_000)
        for node in [a, b] { try await node.close() }
        let c = try await open("c")
        #expect(c.database.ages.now == 90_000_000)
        try await c.close()
    }

    @Test func `the start of a node erases no session that lives on another one, however old its use is`() async throws
    {
        let farm = try await Farm()
        let a = try await farm.open("a")
        for key in [desk, sofa] { try await save(key, on: a) }
        try await a.nodes.release(sofa, under: SessionFence(2))
        try await farm.pool.rows("UPDATE session SET used_at = used_at - $1", [.integer(40 * 86_400_000_000)])
        let b = try await farm.open("b")
        try await b.sessions.eraseUnused(forDays: 30)
        #expect(try await names(farm) == ["desk"])
        // A dead owner keeps nothing.
        try await farm.expire(a)
        try await b.sessions.eraseUnused(forDays: 30)
        #expect(try await names(farm).isEmpty)
        await a.abandon()
        try await b.close()
    }

    @Test func `the second version keeps sessions and their order, and removes digests without a key`() async throws {
        let pool = ConnectionPool(try await PostgresServer.shared().settings(), logger: Logger(label: "test"))
        try await PostgresSchema.migrate(pool, [PostgresSchema.version1])
        try await pool.rows(
            """
            INSERT INTO session (uid, name, used_at) VALUES
            (1, 'new', 1800000000000000), (1, 'old', 60000000), (1, 'ahead', 4000000000000000)
            """
        )
        try await pool.rows(
            "INSERT INTO session_value SELECT session, 'login', unnest(ARRAY[E'\\x01key password k', 'name']), '' FROM session"
        )
        try await PostgresSchema.migrate(pool)
        let rows = try await pool.rows(
            "SELECT name, (SELECT time FROM clock) - used_at AS age FROM session ORDER BY used_at"
        )
        #expect(try rows.map { try $0.text("name") } == ["old", "new", "ahead"])
        #expect(try rows.map { try $0.integer("age", as: Int.self) } == [2, 1, 0])
        let values = try await pool.rows("SELECT DISTINCT name FROM session_value")
        #expect(try values.map { try $0.text("name") } == ["name"])
    }
}
