import GRDB
import Glibc
import Logging
import TestSupport
import Testing
import ViewModelHost

@testable import ViewModelStorage
@testable import ViewModelStore

@Suite struct OpeningTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var file: String { "\(directory.path)/viewmodeld.sqlite" }

    @Test func `no other user can read the files of the store`() async throws {
        let store = try await openStore(directory)
        try await store.outbox.add("private", of: anna)

        let names = try directory.names()
        #expect(names == ["vault.key", "viewmodeld.sqlite", "viewmodeld.sqlite-shm", "viewmodeld.sqlite-wal"])
        for name in names {
            #expect(try directory.mode(name) == 0o600, "\(name)")
        }
        try await store.close()
    }

    @Test func `a file that became readable for others is made private again`() async throws {
        try await openStore(directory).close()
        try #require(chmod(file, 0o644) == 0)

        try await openStore(directory).close()

        #expect(try directory.mode("viewmodeld.sqlite") == 0o600)
    }

    @Test func `a draft or a log that was left behind does no harm`() async throws {
        let store = try await openStore(directory)
        try await store.outbox.add("of the former file", of: anna)
        let log = try directory.bytes("viewmodeld.sqlite-wal")
        try await store.close()
        try #require(!log.isEmpty && unlink(file) == 0)
        try directory.write(log, to: "viewmodeld.sqlite-wal")
        try directory.write(Array("half a file".utf8), to: "viewmodeld.sqlite.new")
        try directory.write(log, to: "viewmodeld.sqlite.new-wal")

        let next = try await openStore(directory)

        #expect(try await next.outbox.items(of: anna).isEmpty)
        #expect(try !directory.names().contains { $0.contains(".new") })
        try await next.close()
    }

    @Test func `what is written is on the disk before it is acknowledged`() async throws {
        let database = try DatabaseFile(StateStoreConfiguration(directory: directory.path))

        let settings = try database.blockingWrite { db in
            try ["synchronous", "foreign_keys", "journal_mode", "secure_delete"].map { name in
                try Row.fetchOne(db, sql: "PRAGMA \(name)").map { "\($0)" }
            }
        }

        #expect(settings == ["[synchronous:2]", "[foreign_keys:1]", #"[journal_mode:"wal"]"#, "[secure_delete:1]"])
        try database.close()
    }

    @Test func `a file of a newer version is refused and stays as it is`() async throws {
        try await openStore(directory).close()
        let newer = try DatabaseQueue(path: file)
        try await newer.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('later')") }
        try newer.close()
        let bytes = try directory.bytes("viewmodeld.sqlite")

        let error = try #require(await openingError(directory))

        #expect(error.kind == .newerFile)
        #expect(error.exitCode == 71)
        #expect(error.description.hasPrefix(file))
        #expect(try directory.bytes("viewmodeld.sqlite") == bytes)
    }

    @Test func `a missing directory is created for the daemon's user alone`() async throws {
        let missing = directory.path + "/a/b"
        try await openStore(directory) { $0.directory = missing }.close()
        #expect(try directory.mode("a") == 0o700)
        #expect(try directory.mode("a/b") == 0o700)
        #expect(try directory.mode("a/b/viewmodeld.sqlite") == 0o600)
    }

    @Test func `a directory that cannot be created is named`() async throws {
        try directory.write([], to: "file")
        let wrong = directory.path + "/file/none"

        let error = try #require(await openingError(directory) { $0.directory = wrong })

        #expect(error.kind == .notWritable)
        #expect(error.exitCode == 73)
        #expect(error.description.contains(wrong))
    }

    @Test func `a file that another process holds is refused after the store's patience`() async throws {
        try await openStore(directory).close()
        var settings = GRDB.Configuration()
        settings.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
        let other = try DatabaseQueue(path: file, configuration: settings)
        try await other.write { try $0.execute(sql: "DELETE FROM vault") }

        let error = try #require(await openingError(directory))

        #expect(error.kind == .locked)
        #expect(error.exitCode == 73)
        try other.close()
        #expect(await openingError(directory) == nil)
    }

    @Test func `a file that another process holds for a while is waited for, and the log says why`() async throws {
        try await openStore(directory).close()
        var settings = GRDB.Configuration()
        settings.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
        let other = try DatabaseQueue(path: file, configuration: settings)
        try await other.write { try $0.execute(sql: "DELETE FROM vault") }

        // The log's first line ends the lock.
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        var configuration = StateStoreConfiguration(directory: directory.path)
        configuration.credentialsDirectory = nil
        configuration.busyTimeout = .milliseconds(20)
        let opening = Task { [configuration] in
            try await StateStore.open(configuration, logger: Logger(label: "test") { _ in Lines(continuation) })
        }
        var iterator = lines.makeAsyncIterator()
        #expect(await iterator.next()?.contains("Waiting for the database") == true)
        try other.close()
        let store = try await opening.value
        #expect(try await store.outbox.items(of: anna) == [])
        try await store.close()
    }

    @Test func `a probe is answered at once while a write waits for a lock`() async throws {
        let store = try await openStore(directory) { $0.busyTimeout = .seconds(60) }
        var settings = GRDB.Configuration()
        settings.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: file, configuration: settings)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        async let written = store.outbox.add("waits", of: anna)
        for _ in 0..<3 {
            let answer = await withCheckedContinuation { answer in store.probe { answer.resume(returning: $0) } }
            guard case .failure(let error) = answer, error.kind == .locked else {
                Issue.record("\(answer)")
                break
            }
        }
        // If a probe had waited for the end of the write's patience, the write would fail.
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        #expect(try await written.item != nil)
        let answer = await withCheckedContinuation { answer in store.probe { answer.resume(returning: $0) } }
        #expect(throws: Never.self) { try answer.get() }
        try await store.close()
    }

    @Test func `while a lock lasts, no write waits longer than one patience for each round of writes`() async throws {
        let store = try await openStore(directory) { $0.busyTimeout = .seconds(1) }
        var settings = GRDB.Configuration()
        settings.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: file, configuration: settings)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        let start = ContinuousClock.now
        let failures = await withTaskGroup(of: StoreError.Kind?.self) { group in
            for number in 0..<200 {
                group.addTask {
                    await failure { () throws(StoreError) in try await store.outbox.add("\(number)", of: anna) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(failures.count == 200 && failures.allSatisfy { $0 == .locked })
        // Each write alone would make it 200 s.
        #expect(ContinuousClock.now - start < .seconds(100))
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try await store.close()
    }

    @Test func `a lock in the middle of the day fails the write and nothing else`() async throws {
        let store = try await openStore(directory)
        var settings = GRDB.Configuration()
        settings.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: file, configuration: settings)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }

        #expect(await failure { () throws(StoreError) in try await store.outbox.add("late", of: anna) } == .locked)
        #expect(!store.health().healthy)

        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try await store.outbox.add("in time", of: anna)
        #expect(try await store.outbox.items(of: anna).map(\.text) == ["in time"])
        #expect(store.health().healthy)
        try await store.close()
    }

    @Test func `health has the path of the state and its size`() async throws {
        let store = try await openStore(directory)
        let before = store.health()
        try await store.outbox.add(String(repeating: "x", count: 100_000), of: anna)

        #expect(before.path == directory.path)
        #expect(before.healthy)
        #expect(store.health().bytes > before.bytes + 99_999)
        try await store.close()
    }

    @Test func `what a closed store leaves is complete without its log`() async throws {
        let store = try await openStore(directory)
        try await store.outbox.add("in the file", of: anna)
        _ = try await store.outbox.items(of: anna)
        try await store.close()
        let copy = try TemporaryDirectory()
        try copy.write(directory.bytes("viewmodeld.sqlite"), to: "viewmodeld.sqlite")

        let other = try await openStore(copy)
        #expect(try await other.outbox.items(of: anna).map(\.text) == ["in the file"])
        try await other.close()
    }

    @Test func `a closed store says so`() async throws {
        let store = try await openStore(directory)
        try await store.close()

        #expect(await failure { () throws(StoreError) in _ = try await store.outbox.items(of: anna) } == .closed)
        #expect(await failure { () throws(StoreError) in try await store.outbox.add("x", of: anna) } == .closed)
    }

    @Test(arguments: [
        (ResultCode.SQLITE_FULL, true), (.SQLITE_IOERR, true), (.SQLITE_IOERR_WRITE, true), (.SQLITE_IOERR_FSYNC, true),
        (.SQLITE_READONLY, true), (.SQLITE_READONLY_DBMOVED, true), (.SQLITE_CANTOPEN, true), (.SQLITE_PERM, true),
        (.SQLITE_BUSY, true), (.SQLITE_LOCKED, true), (.SQLITE_CORRUPT, false), (.SQLITE_NOTADB, false),
        (.SQLITE_MISUSE, false), (.SQLITE_CONSTRAINT, false),
    ])
    func `what the disk or another process is to blame for is unavailable`(code: ResultCode, isUnavailable: Bool) {
        let error = StoreError(DatabaseError(resultCode: code), path: "/x/viewmodeld.sqlite")
        #expect(error.isUnavailable == isUnavailable)
        #expect(error.forHost is StoreUnavailable == isUnavailable)
        #expect(error.isRetryable || !isUnavailable)
        #expect(error.description.hasPrefix("/x/viewmodeld.sqlite "))
    }

    @Test func `what was begun is done although its task was cancelled`() async throws {
        let store = try await openStore(directory)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.outbox.add("kept", of: anna)
        }

        #expect(try await task.value.item?.text == "kept")
        #expect(try await store.outbox.items(of: anna).map(\.text) == ["kept"])
        try await store.close()
    }
}

/// Sends what is logged to a stream.
private struct Lines: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace
    private let lines: AsyncStream<String>.Continuation

    init(_ lines: AsyncStream<String>.Continuation) {
        self.lines = lines
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.yield("\(event.message)")
    }
}
