import GRDB
import TestSupport
import Testing
import ViewModelHost
import ViewModelKit

@testable import ViewModelStorage
@testable import ViewModelStore

/// Files of former versions, which a start migrates.
@Suite struct MigrationTests {
    let directory: TemporaryDirectory
    private let desk = SessionKey(uid: anna, name: "desk")

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Opens the store on a file of a version with these rows.
    private func open(
        _ version: String,
        _ rows: String,
        _ adjust: (inout StateStoreConfiguration) -> Void = { _ in }
    ) async throws -> StateStore {
        let file = try DatabaseQueue(path: "\(directory.path)/viewmodeld.sqlite")
        try Migrations.migrator.migrate(file, upTo: version)
        try await file.write { try $0.execute(sql: rows) }
        try file.close()
        return try await openStore(directory, adjust)
    }

    @Test func `what waited in a file of version 1 is counted`() async throws {
        let rows = """
            INSERT INTO outbox (id, uid, text, status, createdAt) SELECT value, 1000, CAST('four' AS BLOB), value, 0
            FROM json_each('["queued", "failed", "sent"]')
            """
        let store = try await open("1", rows) { $0.bounds.outboxBytes = 10 }
        #expect(try await store.outbox.size(of: anna) == (3, 12))
        #expect(
            try await store.outbox.add("\u{E9}b", of: anna)
                == .failure(LimitExceeded(limit: "limits.outboxBytesPerUser", value: 10))
        )
        _ = try await store.outbox.add("\u{E9}", of: anna)
        #expect(try await store.outbox.items(of: anna).map(\.text) == ["four", "four", "four", "\u{E9}"])
        try await store.close()
    }

    @Test func `a file of version 3 gets room for values and keeps its sessions`() async throws {
        let store = try await open("3", "INSERT INTO session (uid, name, usedAt) VALUES (1000, 'desk', 0)")
        #expect(try await store.sessions.acquire(desk, .close, mayCreate: false)?.saved == SavedSession())
        let key = SavedValue.Key(owner: "a", name: "x")
        _ = try await store.sessions.save([LastingChange(key: key, text: [0x31], known: nil)], of: .user(anna))
        #expect(try await store.sessions.loadValues(of: .user(anna)) == [key: [0x31]])
        try await store.close()
    }

    @Test func `sessions of version 4 keep their order, and their ages begin anew`() async throws {
        // The time of day was wrong at the first and at the last use.
        let rows = """
            INSERT INTO session (uid, name, usedAt) VALUES
            (1000, 'new', 1800000000000000), (1000, 'old', 60000000), (1000, 'ahead', 4000000000000000)
            """
        let store = try await open("4", rows) { $0.use(ManualClock()) }
        try await store.sessions.eraseUnused(forDays: 1)
        let records = try await store.records()
        var uses: [(name: StoreRecords.Value, time: Int64)] = []
        for case (let name, .integer(let time)) in zip(
            records.column("name", of: "session"),
            records.column("usedAt", of: "session")
        ) {
            uses.append((name, time))
        }
        #expect(uses.sorted { $0.time < $1.time }.map(\.name) == [.text("old"), .text("new"), .text("ahead")])
        try await store.close()
    }
}
