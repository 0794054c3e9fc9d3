import GRDB
import Glibc
import TestSupport
import Logging
import Testing
import ViewModelHost
import ViewModelTesting

@testable import ViewModelStorage
@testable import ViewModelStore

@Suite struct OpeningTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var file: String { "\(directory.path)/viewmodeld.sqlite" }

    private func probe(_ store: StateStore) async -> Result<Void, StoreError> {
        await withCheckedContinuation { answer in store.probe { answer.resume(returning: $0) } }
    }

    @Test func `no other user can read the files of the store, also if one was readable`() async throws {
        try await openStore(directory).close()
        try #require(chmod(file, 0o644) == 0)
        try await withStore(directory) { store in
            try await store.outbox.add("private", of: anna)
            let names = try directory.names()
            #expect(names == ["vault.key", "viewmodeld.sqlite", "viewmodeld.sqlite-shm", "viewmodeld.sqlite-wal"])
            for name in names { #expect(try directory.mode(name) == 0o600, "\(name)") }
        }
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
        #expect(try await outboxTexts(directory) == [])
        #expect(try !directory.names().contains { $0.contains(".new") })
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
        try await change(directory, "INSERT INTO grdb_migrations VALUES ('later')")
        let bytes = try directory.bytes("viewmodeld.sqlite")
        let error = try #require(await openingError(directory))
        #expect(error.kind == .newerFile && error.exitCode == 71)
        #expect(error.description.hasPrefix(file))
        #expect(try directory.bytes("viewmodeld.sqlite") == bytes)
    }

    @Test func `a missing directory is created for the daemon's user alone, or named if it cannot be`() async throws {
        let missing = directory.path + "/a/b"
        try await openStore(directory) { $0.directory = missing }.close()
        for (name, mode) in [("a", 0o700), ("a/b", 0o700), ("a/b/viewmodeld.sqlite", 0o600)] as [(String, mode_t)] {
            #expect(try directory.mode(name) == mode)
        }
        try directory.write([], to: "file")
        let wrong = directory.path + "/file/none"
        let error = try #require(await openingError(directory) { $0.directory = wrong })
        #expect(error.kind == .notWritable && error.exitCode == 73)
        #expect(error.description.contains(wrong))
    }

    @Test func `a file that another process holds is refused after the store's patience`() async throws {
        try await openStore(directory).close()
        let other = try await otherProcess(directory, holdFile)
        let error = try #require(await openingError(directory))
        #expect(error.kind == .locked && error.exitCode == 73)
        try other.close()
        #expect(await openingError(directory) == nil)
    }

    @Test func `a file that another process holds for a while is waited for, and the log says why`() async throws {
        try await openStore(directory).close()
        let other = try await otherProcess(directory, holdFile)
        // The log's first line ends the lock.
        let log = LogRecorder(from: .info)
        let opening = Task { [directory] in
            try await openStore(directory, logger: log.logger) { $0.openTimeout = .seconds(600) }
        }
        while log.entries.isEmpty { await Task.yield() }
        #expect(log.entries.first?.message.contains("Waiting for the database") == true)
        try other.close()
        try await opening.value.close()
    }

    @Test func `a probe is answered at once while a write waits for a lock`() async throws {
        let store = try await openStore(directory) { $0.busyTimeout = .seconds(60) }
        let other = try await otherProcess(directory, "BEGIN IMMEDIATE")
        async let written = store.outbox.add("waits", of: anna)
        for _ in 0..<3 {
            guard case .failure(let error) = await probe(store), error.kind == .locked else {
                Issue.record("a probe waited or succeeded")
                break
            }
        }
        // If a probe had waited for the end of the write's patience, the write would fail.
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        _ = try await written
        #expect(try await store.outbox.items(of: anna).map(\.text) == ["waits"])
        let answer = await probe(store)
        #expect(throws: Never.self) { try answer.get() }
        try await store.close()
    }

    @Test func `a lock in the middle of the day fails the write and nothing else`() async throws {
        let store = try await openStore(directory)
        let other = try await otherProcess(directory, "BEGIN IMMEDIATE")
        #expect(try await failure { try await store.outbox.add("late", of: anna) } == .locked)
        #expect(!store.health().healthy)
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try await store.outbox.add("in time", of: anna)
        #expect(try await store.outbox.items(of: anna).map(\.text) == ["in time"])
        #expect(store.health().healthy)
        try await store.close()
    }

    @Test func `health has the path of the state and its size`() async throws {
        try await withStore(directory) { store in
            let before = store.health()
            try await store.outbox.add(String(repeating: "x", count: 100_000), of: anna)
            #expect(before.path == directory.path)
            #expect(store.health().bytes > before.bytes + 99_999)
        }
    }

    @Test func `what a closed store leaves is complete without its log`() async throws {
        try await withStore(directory) { store in
            try await store.outbox.add("in the file", of: anna)
            _ = try await store.outbox.items(of: anna)
        }
        let copy = try TemporaryDirectory()
        try copy.write(directory.bytes("viewmodeld.sqlite"), to: "viewmodeld.sqlite")
        #expect(try await outboxTexts(copy) == ["in the file"])
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
        #expect(error.isRetryable || !isUnavailable)
        #expect(error.description.hasPrefix("/x/viewmodeld.sqlite "))
    }

    @Test func `what was begun is done although its task was cancelled`() async throws {
        let store = try await openStore(directory)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.outbox.add("kept", of: anna)
        }
        _ = try await task.value
        try await store.close()
        #expect(try await outboxTexts(directory) == ["kept"])
    }
}
