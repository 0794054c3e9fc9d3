import CoreMetrics
import FoundationEssentials
import GRDB
import Glibc
import Logging
import Synchronization
import UnixIO
import ViewModelStorage

/// The SQLite file of the store, with one connection that writes and one that concurrently reads the last commit.
final class DatabaseFile: Sendable {
    let path: String
    private let currentBounds: Mutex<StoreBounds>
    /// The clock for ages.
    let ages: StoreClock
    /// Returns the wall-clock time.
    let clock: @Sendable () -> Date
    private let writer: DatabaseQueue
    private let reader: DatabaseQueue
    private let writes: WriteQueue
    private let busyHandler: BusyHandler
    private let logger: Logger
    private let failing = Atomic(false)
    private let failingReads = Atomic(false)
    /// The queues of closed files, which are never released, for the reason that ``Migrations/model`` gives.
    private static let closed = Mutex<[DatabaseQueue]>([])
    private let readTime = Timer(label: "viewmodeld_store_seconds", dimensions: [("operation", "read")])
    private let writeTime = Timer(label: "viewmodeld_store_seconds", dimensions: [("operation", "write")])

    /// Validates the file, opens it and migrates it to the schema of this version.
    ///
    /// The call blocks.
    init(
        _ configuration: StateStoreConfiguration,
        logger: Logger = Logger(label: "viewmodeld.storage")
    ) throws(StoreError) {
        let path = configuration.path
        self.path = path
        self.logger = logger
        currentBounds = Mutex(configuration.bounds)
        ages = StoreClock(configuration.uptime)
        clock = configuration.clock
        let busyHandler = BusyHandler(timeout: configuration.busyTimeout)
        self.busyHandler = busyHandler
        writes = WriteQueue { Self.emptyLog($0, path, logger) }
        do {
            let isThere = try PrivateFile.check(path, in: configuration.directory)
            FormerDatabase.removeLeftovers(of: path)
            let inspected = isThere ? try Self.inspect(path, configuration) : nil
            if !isThere { try Self.make(path, now: configuration.clock(), logger) }
            var settings = Self.settings(configuration)
            settings.busyMode = .callback { busyHandler.waitsAgain(after: $0) }
            settings.prepareDatabase { db in
                try db.execute(sql: "PRAGMA journal_mode = WAL")
                // The first statement names the mode before it has taken effect.
                guard try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal" else {
                    throw StoreError(.failed, path, "cannot have SQLite's log beside it. Use a local file system")
                }
                try db.execute(
                    sql: "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA journal_size_limit = 4194304"
                )
            }
            writer = try DatabaseQueue.make(path, settings)
            try Migrations.migrator.migrate(writer)
            reader = try inspected ?? Self.reader(path, configuration)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            // The schema differs from the one that SQLite or a migration expects.
            throw .damaged(path, "SQLite \(error.extendedResultCode.rawValue)")
        } catch {
            throw StoreError(error, path: path)
        }
    }

    var bounds: StoreBounds {
        get { currentBounds.withLock { $0 } }
        set { currentBounds.withLock { $0 = newValue } }
    }

    /// Whether the latest write failed for a reason that will also affect the next one.
    var isFailing: Bool { failing.load(ordering: .relaxed) }

    var waitingWrites: Int { writes.count }

    /// Returns the size on disk of the file, its log and its shared-memory file.
    func bytes() -> Int {
        ["", "-wal", "-shm"].reduce(0) { total, suffix in
            total + (stat(of: path + suffix).map { Int($0.st_size) } ?? 0)
        }
    }

    /// Runs `body` on a committed state that includes every write that has returned.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try await answer(readTime) { answer in
            reader.asyncRead { access in
                let result = Result { try body(access.get()) }.mapError { StoreError($0, path: self.path) }
                self.recordFailure(of: result, in: self.failingReads, "read")
                answer(result)
            }
        }
    }

    /// Runs `body` in a transaction, and returns when the result is durable.
    ///
    /// Bodies run in the order of the calls. A body that throws is rolled back. A body may run a second time, if
    /// another one in the same transaction made the transaction fail.
    ///
    /// If `erases` is true, no file of the database contains what `body` removed when the call returns. SQLite overwrites
    /// deleted content with zeros. Its log still contains earlier versions of the pages, so the log is then copied to the
    /// file and truncated. This costs two more syncs. While another process reads the file, the log cannot be truncated.
    /// A warning is logged then, and the next erasure truncates the log.
    func write<Value: Sendable>(
        erases: Bool = false,
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try await answer(writeTime) { answer in
            let job = WriteQueue.Job(
                run: { db in
                    let value = try body(db)
                    return { answer(self.recordingFailure(of: .success(value))) }
                },
                fail: { answer(self.recordingFailure(of: .failure($0))) },
                erases: erases
            )
            writes.enqueue(job, on: writer)
        }
    }

    /// Waits for the answer to work that `begin` queues, and records the time.
    private func answer<Value: Sendable>(
        _ time: Timer,
        _ begin: (_ answer: @escaping @Sendable (Result<Value, StoreError>) -> Void) -> Void
    ) async throws(StoreError) -> Value {
        let start = ContinuousClock.now
        defer { time.record(ContinuousClock.now - start) }
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            begin { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    private static func emptyLog(_ db: Database, _ path: String, _ logger: Logger) {
        do {
            try db.checkpoint(.truncate)
        } catch {
            logger.warning(
                "Removed data is still in the log of the database, because another process reads it",
                metadata: ["file": "\(path)-wal", "error": "\(StoreError(error, path: path))"]
            )
        }
    }

    /// Queues a write that changes nothing, and answers after its fsync on the storage's own thread.
    ///
    /// While another process has the file locked, the answer is an immediate `locked` error.
    func probe(_ answer: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        let number = busyHandler.register { answer(self.recordingFailure(of: $0)) }
        let busyHandler = busyHandler
        let job = WriteQueue.Job(
            run: { db in
                // SQLite does not compare the number with the former one. It writes the page and syncs in any case.
                try db.execute(sql: "PRAGMA user_version = 0")
                return { busyHandler.answer(number, .success(())) }
            },
            fail: { busyHandler.answer(number, .failure($0)) }
        )
        writes.enqueue(job, on: writer)
    }

    /// Runs `body` with exclusive access to the connection.
    ///
    /// `body` begins its own transactions.
    func writeExclusively<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try await answer(writeTime) { answer in
            writer.asyncBarrierWriteWithoutTransaction { access in
                answer(self.recordingFailure(of: Result { try body(access.get()) }))
            }
        }
    }

    /// Runs `body` in a transaction and blocks the caller.
    ///
    /// Use it for opening only.
    func blockingWrite<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        do {
            return try writer.write(body)
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Closes the file after the queued work.
    ///
    /// The call blocks.
    func close() throws(StoreError) {
        do {
            try reader.close()
            // The last connection to close moves the log into the file, so a copy of the file is complete.
            try writer.close()
        } catch {
            throw StoreError(error, path: path)
        }
        Self.closed.withLock { $0 += [reader, writer] }
    }

    private func recordingFailure<Value>(of result: Result<Value, any Error>) -> Result<Value, StoreError> {
        let result = result.mapError { StoreError($0, path: path) }
        recordFailure(of: result, in: failing, "written")
        return result
    }

    /// Records whether a read or a write failed for a reason that will also affect the next one.
    ///
    /// The log has one line when the first one fails, and one when the next one succeeds.
    private func recordFailure<Value>(
        of result: Result<Value, StoreError>,
        in isFailing: borrowing Atomic<Bool>,
        _ verb: String
    ) {
        switch result {
        case .success:
            guard isFailing.exchange(false, ordering: .relaxed) else { return }
            logger.notice("The database can be \(verb) again", metadata: ["file": "\(path)"])
        case .failure(let error):
            guard error.isUnavailable || error.kind == .damaged || error.kind == .failed,
                !isFailing.exchange(true, ordering: .relaxed)
            else { return }
            logger.error(
                "The database cannot be \(verb), and the daemon tries again by itself",
                metadata: ["error": "\(error)"]
            )
        }
    }
}

extension DatabaseFile {
    /// Writes the new file under another name and renames it when it is complete.
    ///
    /// This costs one sync of the content.
    private static func make(_ path: String, now: Date, _ logger: Logger) throws(StoreError) {
        let draft = "\(path).new"
        FormerDatabase.removeAll(of: draft)
        let bytes: [UInt8]
        do {
            bytes = try Migrations.newFile.get()
        } catch {
            throw StoreError(error, path: path)
        }
        defer { FormerDatabase.removeAll(of: draft) }
        guard PrivateFile.create(draft, with: bytes) else { throw .notWritable(path, errno: errno) }
        if let log = try FormerDatabase.keepLog(of: path, now: now) {
            logger.warning(
                "The database was missing, but not its log, which has the latest writes",
                metadata: ["file": "\(path)", "log": "\(log)"]
            )
        }
        try PrivateFile.move(draft, to: path)
    }

    /// Checks an existing file without changing what it contains.
    ///
    /// - Returns: The connection that made the check; nil for an empty file, which is filled like a new one.
    private static func inspect(_ path: String, _ configuration: StateStoreConfiguration) throws -> DatabaseQueue? {
        guard PrivateFile.hasContent(path) else { return nil }
        if PrivateFile.hasContent("\(path)-journal") { try undoTransaction(path, configuration) }
        do {
            return try check(path, configuration)
        } catch let error where StoreError(error, path: path).kind == .damaged {
            // SQLite takes a page that the disk did not return for a damaged one.
            return try check(path, configuration)
        }
    }

    private static func check(_ path: String, _ configuration: StateStoreConfiguration) throws -> DatabaseQueue {
        let file = try reader(path, configuration)
        try file.read { db in
            let checkResult = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "no answer"
            guard !checkResult.contains("error code=") else {
                throw StoreError(.failed, path, "could not be read (SQLite: \(checkResult)). Look at the disk")
            }
            guard checkResult == "ok" else { throw StoreError.damaged(path, checkResult) }
            guard try !Migrations.migrator.hasBeenSuperseded(db) else {
                throw StoreError.newerFile(path)
            }
            guard try Migrations.areIntact(in: db) else { throw StoreError.damaged(path, "its schema") }
        }
        return file
    }

    /// Undoes the transaction of a process that was killed, which a connection that only reads cannot do.
    ///
    /// The journal of such a transaction is left by a kill while the file changes between SQLite's journal modes: at the
    /// end of a restore, or at the next start.
    private static func undoTransaction(_ path: String, _ configuration: StateStoreConfiguration) throws {
        let file = try DatabaseQueue.make(path, settings(configuration))
        closed.withLock { $0.append(file) }
        defer { try? file.close() }
        // SQLite looks for a journal at the first read.
        _ = try file.read { try Int.fetchOne($0, sql: "PRAGMA schema_version") }
    }

    private static func reader(_ path: String, _ configuration: StateStoreConfiguration) throws -> DatabaseQueue {
        var settings = settings(configuration)
        settings.readonly = true
        return try DatabaseQueue.make(path, settings)
    }

    static func settings(_ configuration: StateStoreConfiguration) -> GRDB.Configuration {
        var settings = GRDB.Configuration()
        settings.label = "viewmodeld.storage"
        settings.busyMode = .timeout(configuration.busyTimeout / .seconds(1))
        return settings
    }
}

extension Timer {
    /// Records a duration in seconds, the time in the queue included.
    fileprivate func record(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
