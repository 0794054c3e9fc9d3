import Foundation
import Logging
import PostgresSupport
import Testing
import ViewModelStorage
import ViewModelTesting

@testable import ViewModelPostgres

/// What the log says about the database.
@Suite(.postgres) struct LogTests {
    /// Returns what is logged of failures (`f`) and successes (`s`) at these seconds: the second of each line.
    private func logged(_ events: [(Character, Double)]) -> [Double] {
        var outage = OutageLog()
        let start = ContinuousClock.now
        return events.compactMap { event, second in
            let now = start + .seconds(second)
            return (event == "f" ? outage.failed(at: now) : outage.succeeded(at: now)) ? second : nil
        }
    }

    @Test func `an outage has one beginning and one end, however many calls succeed in it`() {
        let storm = (1...100).flatMap { [("s", Double($0) - 0.1), ("f", Double($0))] as [(Character, Double)] }
        let times = logged([("s", 0), ("f", 0.5)] + storm + [("s", 104), ("s", 105), ("s", 106), ("f", 107)])
        #expect(times == [0.5, 105, 107])
        // Without a success it does not begin again.
        #expect(logged([("f", 0), ("f", 3600), ("s", 3601), ("f", 3606)]) == [0, 3606])
    }

    @Test func `a refused write is logged once, and no read announces that writes work again`() async throws {
        let log = LogRecorder(from: .notice)
        let pool = ConnectionPool(try await PostgresServer.shared().settings(), logger: log.logger)
        try await PostgresSchema.migrate(pool)
        try await pool.refuse("INSERT ON lasting_value")
        for _ in 0..<20 {
            await #expect(throws: StoreError.self) {
                try await pool.rows("INSERT INTO lasting_value VALUES (1, '', '', '')")
            }
            try await pool.rows("SELECT FROM lasting_value")
            // It needs no room.
            try await pool.rows("UPDATE clock SET time = time")
            #expect(!pool.health.isHealthy)
        }
        await #expect(throws: StoreError.self) { try await pool.testWrites() }
        #expect(!pool.health.isHealthy)
        #expect(log.entries.map(\.level) == [.warning])
        #expect(log.entries.first?.message.hasPrefix("The database is not available") == true)
        try await pool.rows("DROP TRIGGER refuse ON lasting_value")
        try await pool.testWrites()
        #expect(pool.health.isHealthy)
        #expect(try await pool.rows("SELECT FROM lasting_value").isEmpty)
    }

    @Test func `the loss of the lease is a warning with the node and the cause, and its return a notice`() async throws
    {
        let log = LogRecorder(from: .notice)
        let server = try await PostgresServer.shared()
        let farm = try await Farm()
        let relay = try Relay(to: server)
        let settings = try farm.settings(behind: relay, of: server)
        let node = try await farm.start("lessee", logger: log.logger) {
            $0.settings = settings
            $0.leaseDuration = .seconds(2)
        }
        relay.die()
        let end = await log.entry(with: "lease of this node has ended")
        let text = "\(end)"
        #expect(end.level == .warning && text.contains("lessee") && text.contains("time limit"))
        relay.cut()
        relay.revive()
        #expect(await log.entry(with: "lease of this node holds again").level == .notice)
        #expect(log.entries.count { $0.message.contains("lease of this node has ended") } == 1)
        try await node.stop()
        relay.stop()
    }

    @Test func `a notice at each connection is logged once, and nothing is written to standard error`() async throws {
        let log = LogRecorder(from: .notice)
        let server = try await PostgresServer.shared()
        let admin = ConnectionPool(try server.settings(), logger: Logger(label: "test"))
        let name = "collated_\(UUID().uuidString.prefix(8).lowercased())"
        try await admin.rows(
            "CREATE DATABASE \(name) TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en' LOCALE 'C'"
        )
        try await admin.rows("UPDATE pg_database SET datcollversion = '1' WHERE datname = $1", [.text(name)])
        let host = server.directory.replacingOccurrences(of: "/", with: "%2F")
        let settings = try ConnectionSettings(url: "postgresql://viewmodeld@/\(name)?host=\(host)&port=\(server.port)")
        let pool = ConnectionPool(settings, logger: log.logger)
        try await PoolerCheck.run(settings, pool.notices)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { try await pool.rows("SELECT pg_sleep(0.05)") } }
            try await group.waitForAll()
        }
        let notice = try #require(log.entries.first)
        let text = "\(notice)"
        #expect(log.entries.map(\.level) == [.warning] && notice.message.hasPrefix("The database sent a notice"))
        #expect(text.contains("collation version mismatch") && text.contains(name) && text.contains("REFRESH"))
    }
}

extension LogRecorder {
    /// Waits for an entry whose message has a text.
    fileprivate func entry(with text: String) async -> Entry {
        while true {
            if let entry = entries.first(where: { $0.message.contains(text) }) { return entry }
            await Task.yield()
        }
    }
}
