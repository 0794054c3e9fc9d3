package import FoundationEssentials
import GRDB
import Synchronization

/// A cached response with its age.
package struct CacheEntry: Equatable, Sendable {
    /// The response as JSON text.
    package let value: [UInt8]
    /// The entity tag for a conditional request.
    package let etag: String?
    /// The time at which the backend last sent or confirmed the value.
    package let fetchedAt: Date
}

/// A cache of the account pages, one for each user.
///
/// An entry older than the maximum age is never returned. If the cache exceeds its size, the least recently used entries
/// are removed.
///
/// Isolation: used from anywhere. A read writes nothing to the file. The next write saves the times of the reads.
package final class Cache: Sendable {
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
    /// The bytes that are counted for an entry in addition to its contents, as an estimate.
    static let overhead = 128 + names.namespace.utf8.count + names.key.utf8.count

    private struct Bounds {
        var bytes: Int
        var age: Duration
    }

    private let database: DatabaseFile
    private let bounds: Mutex<Bounds>
    private let clock: @Sendable () -> Date
    private let uses = Mutex(Uses())

    init(
        database: DatabaseFile,
        maximumBytes: Int,
        maximumAge: Duration,
        clock: @escaping @Sendable () -> Date
    ) {
        self.database = database
        bounds = Mutex(Bounds(bytes: maximumBytes, age: maximumAge))
        self.clock = clock
    }

    /// The maximum of the total of all entries.
    private var maximumBytes: Int { bounds.withLock { $0.bytes } }
    private var maximumAge: Duration { bounds.withLock { $0.age } }

    /// Changes the bounds, which apply from the next read or write on.
    package func limit(toBytes bytes: Int, age: Duration) {
        bounds.withLock { $0 = Bounds(bytes: bytes, age: age) }
    }

    /// Returns the entry of a user, or nil.
    package func entry(of uid: UInt32) async throws(StoreError) -> CacheEntry? {
        try await database.read { db in
            let row = try Row.fetchOne(
                db,
                sql: "SELECT entry, value, etag, fetchedAt FROM cache WHERE uid = ?",
                arguments: [uid]
            )
            guard let row else { return nil }
            let (now, fetchedAt): (Int64, Int64) = try (self.clock().microseconds, row.value("fetchedAt"))
            guard now.clamped(minus: fetchedAt) < self.maximumAge.microseconds else { return nil }
            try self.recordUse(row.value("entry"), at: now, db)
            return CacheEntry(
                value: try row.bytes("value"),
                etag: try row.optionalText("etag"),
                // After the clock was set back, the stored time may be in the future. A negative age cannot be shown.
                fetchedAt: Date(microseconds: min(fetchedAt, now))
            )
        }
    }

    /// Stores a value as fetched now, and replaces the former one.
    ///
    /// A value larger than the whole cache is not stored. The former value is removed then as well.
    package func store(_ value: [UInt8], etag: String? = nil, of uid: UInt32) async throws(StoreError) {
        let bytes = value.count + (etag?.utf8.count ?? 0) + Self.overhead
        guard bytes <= maximumBytes else { return try await remove(of: uid) }
        try await change { db, now in
            try db.execute(
                sql: """
                    -- freshUntil is of the first version; no version reads it any more.
                    INSERT INTO cache (uid, namespace, key, value, etag, fetchedAt, freshUntil, usedAt, bytes)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT (uid, namespace, key) DO UPDATE SET value = excluded.value, etag = excluded.etag,
                    fetchedAt = excluded.fetchedAt, usedAt = excluded.usedAt, bytes = excluded.bytes
                    """,
                arguments: try [
                    uid, Self.names.namespace.blob, Self.names.key.blob, Data(value), etag?.blob,
                    now, now, self.nextUse(at: now, db), bytes,
                ]
            )
        }
    }

    /// Marks an entry as confirmed by the backend now (304 Not Modified).
    ///
    /// Missing and expired entries stay unchanged.
    package func confirm(of uid: UInt32) async throws(StoreError) {
        try await change { db, now in
            try db.execute(
                sql: "UPDATE cache SET fetchedAt = ?, usedAt = ? WHERE uid = ? AND fetchedAt > ?",
                arguments: try [
                    now, self.nextUse(at: now, db), uid, now.clamped(minus: self.maximumAge.microseconds),
                ]
            )
        }
    }

    /// Removes the entry of a user, as on sign-out.
    ///
    /// No file of the store contains it when this returns.
    package func remove(of uid: UInt32) async throws(StoreError) {
        try await change(erases: true) { db, _ in
            try db.execute(sql: "DELETE FROM cache WHERE uid = ?", arguments: [uid])
        }
    }

    /// Returns the total of all entries of all users, as it is compared with the maximum.
    package func bytes() async throws(StoreError) -> Int {
        try await database.read { try Self.total($0) }
    }

    private func change(
        erases: Bool = false,
        _ body: @escaping @Sendable (Database, _ now: Int64) throws -> Void
    ) async throws(StoreError) {
        try await database.write(erases: erases) { db in
            let now = self.clock()
            try self.saveUses(db)
            try body(db, now.microseconds)
            try Self.removeExpired(db, now: now, maximumAge: self.maximumAge)
            try self.evict(db)
        }
    }
}

extension Cache {
    /// Removes entries beyond the maximum age.
    static func removeExpired(_ db: Database, now: Date, maximumAge: Duration) throws {
        let oldest = now.microseconds.clamped(minus: maximumAge.microseconds)
        try db.execute(sql: "DELETE FROM cache WHERE fetchedAt <= ?", arguments: [oldest])
    }

    private static func total(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT bytes FROM cacheTotal") ?? 0
    }

    /// Removes the least recently used entries until the rest fits.
    private func evict(_ db: Database) throws {
        var total = try Self.total(db)
        while total > maximumBytes {
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
