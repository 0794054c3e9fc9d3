import Logging
import PostgresSupport
import Testing

@testable import ViewModelPostgres

@Suite(.postgres) struct ChangeFeedTests {
    private typealias Subject = ChangeNotice.Subject

    /// A feed whose reports a test reads.
    private struct Feed {
        let feed: ChangeFeed
        let pool: ConnectionPool
        let reports: AsyncStream<Subject>
        let task: Task<Void, Never>

        init(_ boot: String, _ pool: ConnectionPool, pollInterval: Duration = .seconds(3600)) {
            let (reports, continuation) = AsyncStream.makeStream(of: Subject.self)
            let feed = ChangeFeed(pool, boot: boot, pollInterval: pollInterval, logger: Logger(label: "test"))
            self.feed = feed
            self.pool = pool
            self.reports = reports
            feed.follow(999_999)
            task = Task {
                await feed.run { subject in
                    continuation.yield(subject)
                    return true
                }
            }
        }

        /// Waits until the feed listens, which it reports for a user that nobody changes.
        func waitUntilListening() async {
            for await subject in reports where subject.uid == 999_999 { return }
        }

        func change(_ subject: Subject) async throws {
            let (sql, values) = ChangeNotice.raising(subject)
            for notice in try ChangeNotice.notices(await pool.rows(sql, values), subject.topic) { feed.changed(notice) }
        }

        func stop() async {
            task.cancel()
            await task.value
        }
    }

    @Test func `a change that waits for another one is not told with those of others`() async throws {
        let pool = try await PostgresServer.shared().pool()
        let (a, b) = (Feed("a", pool), Feed("b", pool))
        for feed in [a, b] { await feed.waitUntilListening() }
        b.feed.follow(7)
        func nextTopic() async -> ChangeNotice.Topic? {
            for await report in b.reports where report.uid == 7 { return report.topic }
            return nil
        }
        a.feed.changed(ChangeNotice(subject: Subject(uid: 7, topic: .account), version: 5), within: .seconds(3600))
        for topic in [ChangeNotice.Topic.outbox, .values] {
            a.feed.changed(ChangeNotice(subject: Subject(uid: 7, topic: topic), version: 5))
            #expect(await nextTopic() == topic)
        }
        a.feed.changed(ChangeNotice(subject: Subject(uid: 7, topic: .account), version: 6), within: .milliseconds(1))
        #expect(await nextTopic() == .account)
        for feed in [a, b] { await feed.stop() }
    }

    @Test func `a text has a boot and as many changes as fit, and is read back`() {
        let notices = (0..<2000).map {
            ChangeNotice(subject: Subject(uid: Int64($0) - 1, topic: .outbox), version: .max - Int64($0))
        }
        let texts = ChangePayload.texts(notices, from: "boot")
        #expect(texts.count > 1 && texts.allSatisfy { $0.utf8.count < 8000 })
        #expect(texts.flatMap { ChangePayload.parse($0).notices } == notices)
        #expect(texts.allSatisfy { ChangePayload.parse($0).boot == "boot" })
        // A later version may write more.
        #expect(ChangePayload.parse("b 1:x:2 what:ever 3:y:4:5 6:z:7").notices.map(\.version) == [2, 7])
        #expect(ChangePayload.parse("").notices.isEmpty)
    }

    @Test func `a change whose notification was lost is found by the poll`() async throws {
        let pool = try await PostgresServer.shared().pool()
        let subject = Subject(uid: 7, topic: .values)
        let b = Feed("b", pool, pollInterval: .milliseconds(20))
        await b.waitUntilListening()
        b.feed.follow(7)
        // Committed, and nobody is told.
        let (sql, values) = ChangeNotice.raising(subject)
        try await pool.rows(sql, values)
        for await report in b.reports where report.uid == 7 {
            #expect(report == subject)
            break
        }
        await b.stop()
    }

    @Test func `after a lost listener everything is read again`() async throws {
        let pool = try await PostgresServer.shared().pool { $0.applicationName = "listener under test" }
        let b = Feed("b", pool)
        b.feed.follow(7)
        await b.waitUntilListening()
        let admin = pool.another { $0.applicationName = "admin" }
        try await admin.rows(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE application_name = 'listener under test' AND query LIKE 'LISTEN%'
            """
        )
        var topics: Set<ChangeNotice.Topic> = []
        for await report in b.reports where report.uid == 7 {
            topics.insert(report.topic)
            if topics.count == 3 { break }
        }
        await b.stop()
    }

    @Test func `changes of many tasks arrive in few notifications`() async throws {
        // Six connections serve all tasks, also where other tests use the server.
        let pool = try await PostgresServer.shared().pool { $0.transactionLimit = .seconds(60) }
        let (a, b) = (Feed("a", pool), Feed("b", pool))
        await a.waitUntilListening()
        for uid in 1...300 { b.feed.follow(Int64(uid)) }
        await b.waitUntilListening()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for uid in 1...300 { group.addTask { try await a.change(Subject(uid: Int64(uid), topic: .outbox)) } }
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
