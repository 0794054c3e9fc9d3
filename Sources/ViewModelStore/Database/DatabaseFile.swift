import CoreMetrics
import FoundationEssentials
import GRDB
import Logging
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The one SQLite file: a connection that writes, and one that reads meanwhile what was committed before.
final class DatabaseFile: Sendable {
    let path: String
    private let writer: DatabaseQueue
    private let reader: DatabaseQueue
    private let writes: WriteQueue
    private let lockWait: LockWait
    private let failing = Atomic(false)
    private let readTime = Timer(label: "viewmodeld_store_seconds", dimensions: [("operation", "read")])
    private let writeTime = Timer(label: "viewmodeld_store_seconds", dimensions: [("operation", "write")])

    /// Checks and opens the file, and brings it to this version; blocks.
    init(
        _ configuration: StateStoreConfiguration,
        logger: Logger = Logger(label: "viewmodeld.storage")
    ) throws(StoreError) {
        let path = configuration.path
        self.path = path
        let lockWait = LockWait(patience: configuration.lockPatience)
        self.lockWait = lockWait
        writes = WriteQueue { Self.emptyLog($0, path, logger) }
        do {
            let isThere = try PrivateFile.check(path, in: configuration.directory)
            let inspected = isThere ? try Self.inspect(path, configuration) : nil
            if !isThere { try Self.make(path) }
            var settings = Self.settings(configuration)
            settings.busyMode = .callback { lockWait.waitsAgain(after: $0) }
            settings.prepareDatabase { db in
                guard try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") == "wal" else {
                    throw StoreError(.failed, path, "cannot have SQLite's log beside it. Use a local file system")
                }
                try db.execute(
                    sql: "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA journal_size_limit = 4194304"
                )
            }
            writer = try DatabaseQueue(path: path, configuration: settings)
            try Migrations.migrator.migrate(writer)
            reader = try inspected ?? Self.reader(path, configuration)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            // The schema is not what SQLite, or a migration, can work with.
            throw .damaged(path, "SQLite \(error.extendedResultCode.rawValue)")
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Whether the latest write failed for a reason that concerns the next one, too.
    var isFailing: Bool { failing.load(ordering: .relaxed) }

    /// How many writes wait for their turn.
    var waitingWrites: Int { writes.count }

    /// What the file and its companions take on the disk.
    func bytes() -> Int {
        ["", "-wal", "-shm"].reduce(0) { total, suffix in
            var status = stat()
            return stat(path + suffix, &status) == 0 ? total + Int(status.st_size) : total
        }
    }

    /// Reads a state that was committed, at least as new as every write that has returned.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        let start = ContinuousClock.now
        defer { readTime.record(ContinuousClock.now - start) }
        let path = path
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            reader.asyncRead { access in
                continuation.resume(
                    returning: Result { try body(access.get()) }.mapError { StoreError($0, path: path) }
                )
            }
        }
        return try result.get()
    }

    /// Runs `body` in a transaction; returns when it would outlast a power failure.
    ///
    /// Bodies run in the order of the calls. One that throws leaves no trace; it may be run a second time, where others that
    /// shared its transaction made that fail.
    func write<Value: Sendable>(
        erases: Bool = false,
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        let start = ContinuousClock.now
        defer { writeTime.record(ContinuousClock.now - start) }
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            let job = WriteQueue.Job(
                run: { db in
                    let value = try body(db)
                    return { continuation.resume(returning: self.noting(.success(value))) }
                },
                fail: { continuation.resume(returning: self.noting(.failure($0))) },
                erases: erases
            )
            writes.enqueue(job, on: writer)
        }
        return try result.get()
    }

    /// Runs `body` in a transaction; when it returns, no file of the database holds what it removed.
    ///
    /// SQLite overwrites what is deleted with zeros; then its log, which holds earlier versions of pages, is written to the
    /// file and emptied. That costs two more waits for the disk. While another process reads the file, the log cannot be
    /// emptied: a warning is logged, and the next erasure empties it.
    func erase<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try await write(erases: true, body)
    }

    private static func emptyLog(_ db: Database, _ path: String, _ logger: Logger) {
        do {
            try db.checkpoint(.truncate)
        } catch {
            logger.warning(
                "What was removed is still in the log of the database; another process reads it",
                metadata: ["file": "\(path)-wal", "error": "\(StoreError(error, path: path))"]
            )
        }
    }

    /// Writes nothing new down to the disk, after the writes before it.
    ///
    /// While another process has the file locked, the answer is that it is, and comes at once.
    ///
    /// - Parameter answer: called with how it came out, on the storage's own thread.
    func probe(_ answer: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        let number = lockWait.register { answer(self.noting($0)) }
        let lockWait = lockWait
        let job = WriteQueue.Job(
            run: { db in
                // SQLite does not compare: it writes the page with this number, and syncs, whatever was in it.
                try db.execute(sql: "PRAGMA user_version = 0")
                return { lockWait.answer(number, .success(())) }
            },
            fail: { lockWait.answer(number, .failure($0)) }
        )
        writes.enqueue(job, on: writer)
    }

    /// Runs `body` where nothing else is written meanwhile; it makes its own transactions.
    func writeAlone<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        let start = ContinuousClock.now
        defer { writeTime.record(ContinuousClock.now - start) }
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            writer.asyncBarrierWriteWithoutTransaction { access in
                continuation.resume(returning: self.noting(Result { try body(access.get()) }))
            }
        }
        return try result.get()
    }

    /// Runs `body` in a transaction and blocks: for opening only.
    func blockingWrite<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        do {
            return try writer.write(body)
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Closes the file after what was begun; blocks.
    func close() throws(StoreError) {
        do {
            try reader.close()
            // The last one to close the file empties the log into it: who copies that should find everything.
            try writer.close()
        } catch {
            throw StoreError(error, path: path)
        }
    }

    private func noting<Value>(_ result: Result<Value, any Error>) -> Result<Value, StoreError> {
        let result = result.mapError { StoreError($0, path: path) }
        switch result {
        case .success: failing.store(false, ordering: .relaxed)
        case .failure(let error):
            let kinds: Set<StoreError.Kind> = [.diskFull, .notWritable, .locked, .damaged, .failed]
            if kinds.contains(error.kind) { failing.store(true, ordering: .relaxed) }
        }
        return result
    }
}

extension DatabaseFile {
    /// Makes the file beside its place, and moves it there when it is whole: so the disk is waited for once.
    private static func make(_ path: String) throws(StoreError) {
        let draft = "\(path).new"
        func removeAll(of path: String) {
            for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) }
        }
        removeAll(of: draft)
        let bytes: [UInt8]
        do {
            bytes = try Migrations.newFile.get()
        } catch {
            throw StoreError(error, path: path)
        }
        defer { removeAll(of: draft) }
        guard PrivateFile.create(draft, with: bytes) else { throw .notWritable(path, errno: errno) }
        // The log of a file that is no more would be taken for this one's.
        removeAll(of: path)
        try PrivateFile.move(draft, to: path)
    }

    /// Looks at an existing file without changing it.
    ///
    /// - Returns: the connection that has looked; nil for an empty file, which is filled like a new one.
    private static func inspect(_ path: String, _ configuration: StateStoreConfiguration) throws -> DatabaseQueue? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_size > 0 else { return nil }
        let file = try reader(path, configuration)
        try file.read { db in
            let complaint = try String.fetchOne(db, sql: "PRAGMA quick_check(1)")
            guard complaint == "ok" else { throw StoreError.damaged(path, complaint ?? "no answer") }
            guard try !Migrations.migrator.hasBeenSuperseded(db) else {
                throw StoreError(
                    .newerFile,
                    path,
                    "was written by a newer version. Start that version, or put back the backup of before the update"
                )
            }
            guard try Migrations.areIntact(in: db) else { throw StoreError.damaged(path, "its schema") }
        }
        return file
    }

    private static func reader(_ path: String, _ configuration: StateStoreConfiguration) throws -> DatabaseQueue {
        var settings = settings(configuration)
        settings.readonly = true
        return try DatabaseQueue(path: path, configuration: settings)
    }

    private static func settings(_ configuration: StateStoreConfiguration) -> GRDB.Configuration {
        var settings = GRDB.Configuration()
        settings.label = "viewmodeld.storage"
        settings.busyMode = .timeout(configuration.lockPatience / .seconds(1))
        return settings
    }
}

extension Timer {
    /// Records how long something took, waiting for its turn included.
    fileprivate func record(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
