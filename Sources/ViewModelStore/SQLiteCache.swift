import FoundationEssentials
import GRDB
import Synchronization
import ViewModelStorage

/// The cache in the store's file.
///
/// A read writes nothing to the file. The next write saves the times of the reads.
final class SQLiteCache: Cache {
    /// The times of reads that no write has saved yet.
    private struct Uses {
        var entries: [Int64: Int64] = [:]
        /// The latest use of all entries; nil before the first look-up.
        var last: Int64?
    }

    /// The names that each row has.
    ///
    /// The table of the first version could hold several entries of a user.
    private static let names = (namespace: "account", key: "page")

    private let database: DatabaseFile
    private let bounds: CurrentBounds
    private let clock: @Sendable () -> Date
    private let ages: StoreClock
    private let uses = Mutex(Uses())

    init(database: DatabaseFile, bounds: CurrentBounds, clock: @escaping @Sendable () -> Date, ages: StoreClock) {
        self.database = database
        self.bounds = bounds
        self.clock = clock
        self.ages = ages
    }

    private var maximumAge: Duration { bounds.value.cacheAge }

    func entry(of uid: UInt32) async throws(StoreError) -> CacheEntry? {
        try await database.read { db in
            let row = try Row.fetchOne(
                db,
                sql: "SELECT entry, value, etag, fetchedAt, freshUntil FROM cache WHERE uid = ?",
                arguments: [uid]
            )
            guard let row else { return nil }
            let (now, fetchedAt): (Int64, Int64) = try (self.clock().microseconds, row.value("fetchedAt"))
            // What is only hidden by a wrong time of day is kept.
            let age = max(now.clamped(minus: fetchedAt), self.ages.now.clamped(minus: try row.value("freshUntil")))
            guard age < self.maximumAge.microseconds else { return nil }
            try self.recordUse(row.value("entry"), at: now, db)
            return CacheEntry(
                value: try row.bytes("value"),
                etag: try row.optionalText("etag"),
                // After the clock was set back, the stored time may be in the future. A negative age cannot be shown.
                fetchedAt: Date(microseconds: min(fetchedAt, now))
            )
        }
    }

    @discardableResult
    func store(_ value: [UInt8], etag: String?, of uid: UInt32) async throws(StoreError) -> Date? {
        let bytes = CacheEntry.bytes(value: value, etag: etag)
        guard bytes <= bounds.value.cacheBytes else {
            try await remove(of: uid)
            return nil
        }
        return try await change { db, now in
            let usedAt = try self.nextUse(at: now, db)
            let page = StoreRecords.Page(uid: uid, value: value, etag: etag, fetchedAt: now, usedAt: usedAt)
            try Self.store(page, at: self.ages.now, db)
            return Date(microseconds: now)
        }
    }

    /// Stores a page, which replaces the former one.
    ///
    /// - Parameters:
    ///   - page: the page.
    ///   - time: the time by the clock for ages.
    ///   - db: the connection.
    /// - Throws: SQLite's error.
    static func store(_ page: StoreRecords.Page, at time: Int64, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO cache (uid, namespace, key, value, etag, fetchedAt, freshUntil, usedAt, bytes)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (uid, namespace, key) DO UPDATE SET value = excluded.value, etag = excluded.etag,
                fetchedAt = excluded.fetchedAt, freshUntil = excluded.freshUntil, usedAt = excluded.usedAt,
                bytes = excluded.bytes
                """,
            arguments: [
                page.uid, names.namespace.blob, names.key.blob, Data(page.value), page.etag?.blob,
                page.fetchedAt, time, page.usedAt, CacheEntry.bytes(value: page.value, etag: page.etag),
            ]
        )
    }

    @discardableResult
    func confirm(of uid: UInt32) async throws(StoreError) -> Date? {
        try await change { db, now in
            try db.execute(
                sql: "UPDATE cache SET fetchedAt = ?, freshUntil = ?, usedAt = ? WHERE uid = ? AND freshUntil > ?",
                arguments: try [
                    now, self.ages.now, self.nextUse(at: now, db), uid,
                    self.ages.now.clamped(minus: self.maximumAge.microseconds),
                ]
            )
            return db.changesCount > 0 ? Date(microseconds: now) : nil
        }
    }

    func remove(of uid: UInt32) async throws(StoreError) {
        try await change(erases: true) { db, _ in
            try db.execute(sql: "DELETE FROM cache WHERE uid = ?", arguments: [uid])
        }
    }

    func bytes() async throws(StoreError) -> Int {
        try await database.read { try Self.total($0) }
    }

    private func change<Result: Sendable>(
        erases: Bool = false,
        _ body: @escaping @Sendable (Database, _ now: Int64) throws -> Result
    ) async throws(StoreError) -> Result {
        try await database.write(erases: erases) { db in
            try self.ages.save(db)
            try self.saveUses(db)
            let result = try body(db, self.clock().microseconds)
            try Self.removeExpired(db, now: self.ages.now, maximumAge: self.maximumAge)
            try self.evict(db)
            return result
        }
    }
}

extension SQLiteCache {
    /// Removes entries beyond the maximum age by the clock for ages.
    static func removeExpired(_ db: Database, now: Int64, maximumAge: Duration) throws {
        let oldest = now.clamped(minus: maximumAge.microseconds)
        try db.execute(sql: "DELETE FROM cache WHERE freshUntil <= ?", arguments: [oldest])
    }

    private static func total(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT bytes FROM cacheTotal") ?? 0
    }

    /// Removes the least recently used entries until the rest fits.
    private func evict(_ db: Database) throws {
        let limit = bounds.value.cacheBytes
        var total = try Self.total(db)
        while total > limit {
            let row = try Row.fetchOne(db, sql: "SELECT entry, bytes FROM cache ORDER BY usedAt LIMIT 1")
            guard let row else { break }
            try db.execute(sql: "DELETE FROM cache WHERE entry = ?", arguments: [row.value("entry", as: Int64.self)])
            total = Int(Int64(total).clamped(minus: try row.value("bytes")))
        }
    }

    private func saveUses(_ db: Database) throws {
        let unsaved = uses.withLock { uses in
            let unsaved = uses.entries
            uses.entries = [:]
            return unsaved
        }
        for (entry, time) in unsaved {
            try db.execute(
                sql: "UPDATE cache SET usedAt = ? WHERE entry = ? AND usedAt < ?",
                arguments: [time, entry, time]
            )
        }
    }

    private func recordUse(_ entry: Int64, at now: Int64, _ db: Database) throws {
        let use = try nextUse(at: now, db)
        uses.withLock { $0.entries[entry] = use }
    }

    /// Returns the time of a use, which is later than all former ones, those before the last restart included.
    private func nextUse(at now: Int64, _ db: Database) throws -> Int64 {
        let last = uses.withLock { $0.last }
        let former = try last ?? Int64.fetchOne(db, sql: "SELECT MAX(usedAt) FROM cache") ?? 0
        return uses.withLock { uses in
            let next = max(now, max(uses.last ?? 0, former).clamped(plus: 1))
            uses.last = next
            return next
        }
    }
}
