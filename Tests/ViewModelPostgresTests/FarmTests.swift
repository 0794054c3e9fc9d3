import Accounts
import PostgresSupport
import TestSupport
import Testing
import ViewModelHost
import ViewModelStorage

@testable import ViewModelPostgres

/// What several nodes see of each other's data.
@Suite(.postgres) struct FarmTests {
    @Test func `a node with another vault key is refused, and the others go on`() async throws {
        let farm = try await Farm()
        let a = try await farm.open("a")
        let other = try TemporaryDirectory()
        let error = await #expect(throws: StoreError.self) { try await farm.open("b", in: other) }
        #expect(error?.kind == .wrongKey && error?.exitCode == 78)
        // After a rotation the new key is the key of all.
        try await a.vault.rotate()
        let b = try await farm.open("b")
        for node in [a, b] { try await node.close() }
    }

    @Test func `a newer, wrong or missing database has its exit code`() async throws {
        let farm = try await Farm()
        let server = try await PostgresServer.shared()
        try await farm.pool.rows("UPDATE store SET version = 1000")
        let newer = await #expect(throws: StoreError.self) { try await farm.open() }
        #expect(newer?.kind == .newerFile && newer?.exitCode == 71)
        #expect(newer?.description.contains("newer version") == true)
        #expect(try await farm.pool.rows("SELECT FROM store WHERE version = 1000").count == 1)
        let host = server.directory.replacing("/", with: "%2F")
        let unknown = try ConnectionSettings(url: "postgresql://viewmodeld@/unknown?host=\(host)&port=\(server.port)")
        let wrong = await #expect(throws: StoreError.self) { try await farm.open { $0.settings = unknown } }
        #expect(wrong?.kind == .misconfigured && wrong?.exitCode == 78)
        // No server has this port.
        let nowhere = try server.settings(port: 1)
        let missing = await #expect(throws: StoreError.self) { try await farm.open { $0.settings = nowhere } }
        #expect(missing?.kind == .unavailable && missing?.exitCode == 73)
    }

    @Test func `a start waits for a database whose disk is full`() async throws {
        let farm = try await Farm()
        // A sequence also counts what is rolled back.
        try await farm.pool.rows("CREATE SEQUENCE attempt")
        try await farm.pool.refuse("INSERT ON node", while: "nextval('attempt') < 2")
        let storage = try await farm.open { $0.startPatience = .seconds(60) }
        let row = try #require(await farm.pool.rows("SELECT last_value FROM attempt").first)
        #expect(try row.integer("last_value", as: Int.self) == 2)
        try await storage.close()
    }

    @Test func `changes of one node are reported on the other`() async throws {
        let farm = try await Farm()
        let (a, b) = (try await farm.start("a"), try await farm.start("b"))
        let (uid, area) = (1000 as UInt32, ValueArea.user(1000))
        // A node is told about what it has read.
        _ = try await b.storage.outbox.items(of: uid)
        _ = try await b.storage.sessions.loadValues(of: .daemon)
        let key = SavedValue.Key(owner: "lab", name: "theme")
        let value = LastingChange(key: key, text: Array("1".utf8), known: nil)
        let steps: [(StorageChange, () async throws -> Void)] = [
            (StorageChange(.outbox, of: 1000), { _ = try await a.storage.outbox.add("text", of: uid) }),
            (StorageChange(.values, of: 1000), { _ = try await a.storage.sessions.save([value], of: area) }),
            (
                StorageChange(.account, of: 1000),
                { try await a.storage.cache.store(Array("{}".utf8), etag: nil, of: uid) }
            ),
            (StorageChange(.values, of: -1), { _ = try await a.storage.sessions.save([value], of: .daemon) }),
        ]
        for (change, step) in steps {
            try await step()
            for await report in b.changes where report == change { break }
        }
        #expect(try await b.storage.outbox.items(of: uid).count == 1)
        #expect(try await b.storage.sessions.loadValues(of: area).count == 1)
        for node in [a, b] { try await node.stop() }
    }

    @Test func `a value that another node has saved since stays`() async throws {
        let farm = try await Farm()
        let (a, b) = (try await farm.open("a"), try await farm.open("b"))
        let keys = ["name", "skip"].map { SavedValue.Key(owner: "settings", name: $0) }
        func change(_ key: SavedValue.Key, _ text: String, known: String?) -> LastingChange {
            LastingChange(key: key, text: Array(text.utf8), known: known.map { Array($0.utf8) })
        }
        #expect(try await a.sessions.save(keys.map { change($0, "1", known: nil) }, of: .user(1)).isEmpty)
        #expect(try await b.sessions.save([change(keys[0], "2", known: "1")], of: .user(1)).isEmpty)
        // What this node entered before it knew of that is older; the other value is not.
        let newer = try await a.sessions.save(
            [change(keys[0], "3", known: "1"), change(keys[1], "4", known: "1")],
            of: .user(1)
        )
        #expect(newer == [keys[0]: Array("2".utf8)])
        #expect(try await a.sessions.loadValues(of: .user(1)) == [keys[0]: Array("2".utf8), keys[1]: Array("4".utf8)])
        // A repetition after a lost answer finds its own text.
        #expect(try await a.sessions.save([change(keys[1], "4", known: "1")], of: .user(1)).isEmpty)
        for node in [a, b] { try await node.close() }
    }

    @Test func `people have the same numbers on all nodes, also if they come to two at once`() async throws {
        let farm = try await Farm()
        let nodes = [try await farm.open("a"), try await farm.open("b")]
        let subjects = (UInt8(0)..<40).map { Array(repeating: $0, count: 32) }
        let numbers = try await withThrowingTaskGroup(of: [UInt32].self) { group in
            for node in nodes {
                group.addTask {
                    var numbers: [UInt32] = []
                    for subject in subjects { numbers.append(try await node.userNumbers.number(of: subject)) }
                    return numbers
                }
            }
            return try await group.reduce(into: Set<[UInt32]>()) { $0.insert($1) }
        }
        let known = try #require(numbers.first)
        #expect(numbers.count == 1 && Set(known).count == subjects.count)
        #expect(known.allSatisfy(ClosedRange.ofPeople.contains))
        for node in nodes { try await node.close() }
    }

    @Test func `known people have their numbers when no number is left, and the database is healthy`() async throws {
        let farm = try await Farm()
        let node = try await farm.open("a")
        try await farm.pool.rows("ALTER TABLE person ALTER uid RESTART WITH \(ClosedRange.ofPeople.upperBound)")
        for _ in 0..<2 {
            #expect(try await node.userNumbers.number(of: [1]) == ClosedRange.ofPeople.upperBound)
            await #expect(throws: NoUserNumberLeft.self) { try await node.userNumbers.number(of: [2]) }
        }
        #expect(node.database.pool.health.isHealthy)
        try await node.close()
    }

    @Test func `one node at a time refreshes a token`() async throws {
        let farm = try await Farm()
        let (a, b) = (try await farm.open("a"), try await farm.open("b"))
        #expect(try await a.beginRefresh(of: 1, provider: "p"))
        #expect(try await b.beginRefresh(of: 1, provider: "p") == false)
        #expect(try await b.beginRefresh(of: 2, provider: "p"))
        await b.endRefresh(of: 1, provider: "p")
        #expect(try await b.beginRefresh(of: 1, provider: "p") == false)
        await a.endRefresh(of: 1, provider: "p")
        #expect(try await b.beginRefresh(of: 1, provider: "p"))
        // A node that dies ends its refreshes.
        try await farm.expire(b)
        #expect(try await a.beginRefresh(of: 1, provider: "p"))
        for node in [a, b] { try await node.close() }
    }

    @Test(.timeLimit(.minutes(5)))
    func `an abandoned item is queued again by a living node, which reads it again`() async throws {
        let farm = try await Farm()
        let dead = try await farm.open("dead")
        _ = try await dead.outbox.add("text", of: 1000)
        _ = try await dead.outbox.claim(nil, of: 1000)
        let b = try await farm.start("b") { $0.leaseDuration = .milliseconds(300) }
        _ = try await b.storage.outbox.items(of: 1000)
        await dead.abandon()
        try await farm.expire(dead)
        for await report in b.changes where report == StorageChange(.outbox, of: 1000) {
            if try await b.storage.outbox.items(of: 1000).first?.status == .queued { break }
        }
        try await b.stop()
    }
}
