import Logging
import PostgresSupport
import Testing
import ViewModelStorage

@testable import ViewModelPostgres

@Suite(.postgres) struct ChangeFeedTests {
    /// A feed whose reports a test reads.
    private struct Feed {
        let feed: ChangeFeed
        let pool: ConnectionPool
        let reports: AsyncStream<StorageChange>
        let listening: AsyncStream<Void>
        let task: Task<Void, Never>

        init(_ boot: String, _ settings: ConnectionSettings, pollInterval: Duration = .seconds(3600)) {
            let (reports, continuation) = AsyncStream.makeStream(of: StorageChange.self)
            let (listening, begun) = AsyncStream.makeStream(of: Void.self)
            let logger = Logger(label: "test")
            pool = ConnectionPool(settings, logger: logger)
            let messages = ConnectionPool(settings, logger: logger)
            let feed = ChangeFeed(pool, messages, boot: boot, pollInterval: pollInterval, logger: logger)
            self.feed = feed
            self.reports = reports
            self.listening = listening
            task = Task {
                await feed.run { subject in
                    continuation.yield(subject)
                    return true
                } _: { hint in
                    if hint == nil { begun.yield() }
                }
            }
        }

        func waitUntilListening() async { for await _ in listening { return } }

        /// Reports changes of a user whose data was read at the first version.
        func follow(_ uid: Int64) {
            for topic in [StorageChange.Topic.account, .outbox, .values] {
                feed.reads(StorageChange(topic, of: uid))
                feed.read(0, of: StorageChange(topic, of: uid))
            }
        }

        func change(_ subject: StorageChange) async throws {
            let (sql, values) = subject.raising
            try feed.changed(await pool.rows(sql, values), subject.topic)
        }

        /// Commits a change, and tells nobody.
        func changeUnseen(_ subject: StorageChange) async throws {
            let (sql, values) = subject.raising
            try await pool.rows(sql, values)
        }

        func stop() async {
            task.cancel()
            await task.value
        }
    }

    @Test func `a change is reported where the data was read, and nowhere else`() async throws {
        let pool = try await PostgresServer.shared().pool()
        let (a, b) = (Feed("a", pool.settings), Feed("b", pool.settings))
        for feed in [a, b] { await feed.waitUntilListening() }
        for uid: Int64 in [7, 8] { b.follow(uid) }
        b.feed.forget(8)
        #expect(b.feed.userCount == 1)
        for uid: Int64 in [8, 9, 7] { try await a.change(StorageChange(.outbox, of: uid)) }
        for await report in b.reports {
            #expect(report == StorageChange(.outbox, of: 7))
            break
        }
        for feed in [a, b] { await feed.stop() }
    }

    @Test func `a version that a hint invents changes nothing`() async throws {
        let pool = try await PostgresServer.shared().pool()
        let b = Feed("b", pool.settings)
        await b.waitUntilListening()
        b.follow(7)
        for text in [
            "changed x 7", "changed b 7", "changed x 7:outbox:999", "lost b", "asked b", "answered b x", "", "changed",
        ] {
            try await pool.rows("SELECT pg_notify($1, $2)", [.text("\(pool.settings.schema)_hints"), .text(text)])
        }
        try await b.changeUnseen(StorageChange(.values, of: 7))
        try await pool.rows("SELECT pg_notify($1, 'changed x 7')", [.text("\(pool.settings.schema)_hints")])
        for await report in b.reports {
            #expect(report == StorageChange(.values, of: 7))
            break
        }
        await b.stop()
    }

    @Test func `a user who is forgotten while the data is read stays forgotten`() async throws {
        let feed = Feed("b", try await PostgresServer.shared().pool().settings).feed
        let subject = StorageChange(.values, of: 7)
        feed.reads(subject)
        feed.forget(7)
        feed.read(1, of: subject)
        #expect(feed.userCount == 0)
    }

    @Test func `a hint is parsed back, and one of a later version is ignored`() {
        let hints: [NodeHint] = [
            .changed([-1, 4_294_967_295], by: "b"), .asked("b00t"), .answered("b00t", claim: 7), .lost("b00t"),
        ]
        for hint in hints { #expect(NodeHint(hint.text) == hint) }
        for text in ["", "asked", "asked a b", "answered b", "answered b x", "other 1", "changed", "changed b"] {
            #expect(NodeHint(text) == nil)
        }
        let many = NodeHint.changes((0..<2000).map { Int64.max - $0 }, by: "boot")
        #expect(many.count > 1 && many.allSatisfy { $0.text.utf8.count < 8000 })
        let users = many.flatMap { hint -> [Int64] in
            if case .changed(let users, "boot") = hint { users } else { [] }
        }
        #expect(users == (0..<2000).map { Int64.max - $0 })
    }

    @Test func `a flood of one notification is handled a few times only`() async throws {
        let pool = try await PostgresServer.shared().pool()
        let listener = NotificationListener(settings: pool.settings, channel: "flood", logger: Logger(label: "test"))
        let (events, event) = AsyncStream.makeStream(of: String?.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            await listener.run { received in
                event.yield(received)
                // The rest of the flood arrives meanwhile.
                if received == "first" { for await _ in gate { break } }
            }
        }
        var notifications: [String] = []
        for await event in events {
            guard let text = event else {
                try await pool.rows("SELECT pg_notify('flood', 'first')")
                // Each in a transaction of its own: the server keeps one of equal ones in a transaction.
                for _ in 0..<300 { try await pool.rows("SELECT pg_notify('flood', 'again')") }
                try await pool.rows("SELECT pg_notify('flood', 'last')")
                open.yield()
                continue
            }
            notifications.append(text)
            if text == "last" { break }
        }
        #expect(notifications.first == "first")
        #expect(notifications.count < 30, "\(notifications.count)")
        task.cancel()
        await task.value
    }

    @Test func `data that could not be read is reported until it is read`() async throws {
        let pool = try await PostgresServer.shared().pool()
        let subject = StorageChange(.values, of: 7)
        let b = Feed("b", pool.settings, pollInterval: .milliseconds(20))
        await b.waitUntilListening()
        b.feed.reads(subject)
        for await report in b.reports {
            #expect(report == subject)
            break
        }
        b.feed.reads(subject)
        b.feed.read(0, of: subject)
        let other = StorageChange(.values, of: 8)
        b.feed.reads(other)
        // At most one report of the first subject was under way.
        var reports: [StorageChange] = []
        for await report in b.reports {
            reports.append(report)
            if report == other { break }
        }
        #expect(reports.count <= 2)
        await b.stop()
    }

    @Test func `a change whose hint was lost is found by the poll`() async throws {
        let pool = try await PostgresServer.shared().pool()
        let subject = StorageChange(.values, of: 7)
        let b = Feed("b", pool.settings, pollInterval: .milliseconds(20))
        await b.waitUntilListening()
        b.follow(7)
        try await b.changeUnseen(subject)
        for await report in b.reports {
            #expect(report == subject)
            break
        }
        await b.stop()
    }

    @Test func `after a lost listener what has changed is read again, and nothing else`() async throws {
        let pool = try await PostgresServer.shared().pool { $0.applicationName = "listener under test" }
        let b = Feed("b", pool.settings)
        await b.waitUntilListening()
        for uid: Int64 in 1...100 { b.follow(uid) }
        let admin = pool.another { $0.applicationName = "admin" }
        try await b.changeUnseen(StorageChange(.account, of: 7))
        try await admin.rows(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE application_name = 'listener under test' AND query LIKE 'LISTEN%'
            """
        )
        await b.waitUntilListening()
        try await b.changeUnseen(StorageChange(.account, of: 8))
        try await admin.rows("SELECT pg_notify($1, 'changed x 8')", [.text("\(pool.settings.schema)_hints")])
        var users: [Int64] = []
        for await report in b.reports {
            users.append(report.uid)
            if Set(users).isSuperset(of: [7, 8]) { break }
        }
        #expect(Set(users) == [7, 8])
        await b.stop()
    }

    @Test func `changes of many tasks arrive in few notifications`() async throws {
        // Six connections serve all tasks, also where other tests use the server.
        let pool = try await PostgresServer.shared().pool { $0.transactionLimit = .seconds(60) }
        let (a, b) = (Feed("a", pool.settings), Feed("b", pool.settings))
        for feed in [a, b] { await feed.waitUntilListening() }
        for uid in 1...300 { b.follow(Int64(uid)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for uid in 1...300 { group.addTask { try await a.change(StorageChange(.outbox, of: Int64(uid))) } }
            try await group.waitForAll()
        }
        var missing = Set(1...300)
        for await report in b.reports where report.topic == .outbox {
            missing.remove(Int(report.uid))
            if missing.isEmpty { break }
        }
        await a.stop()
        await b.stop()
    }
}
