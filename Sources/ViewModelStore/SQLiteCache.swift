import FoundationEssentials
import GRDB
import ViewModelStorage

/// The cache in the store's file.
struct SQLiteCache: Cache {
    let database: DatabaseFile

    private var maximumAge: Duration { database.bounds.cacheAge }
    private var time: Int64 { database.ages.now }

    func entry(of uid: UInt32) async throws(StoreError) -> CacheEntry? {
        try await database.read { db in
            let row = try Row.fetchOne(
                db,
                sql: "SELECT value, etag, fetchedAt, freshUntil FROM cache WHERE uid = ?",
                arguments: [uid]
            )
            guard let row else { return nil }
            let (now, fetchedAt): (Int64, Int64) = try (database.clock().microseconds, row.value("fetchedAt"))
            // What is only hidden by a wrong time of day is kept.
            let age = max(now.clamped(minus: fetchedAt), time.clamped(minus: try row.value("freshUntil")))
            guard age < maximumAge.microseconds else { return nil }
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
        guard bytes <= database.bounds.cacheBytes else {
            try await remove(of: uid)
            return nil
        }
        return try await change { db, now, time in
            // The table of the first version could hold several entries of a user, by a name of two parts.
            try db.execute(
                sql: """
                    INSERT INTO cache (uid, namespace, key, value, etag, fetchedAt, freshUntil, usedAt, bytes)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT (uid, namespace, key) DO UPDATE SET value = excluded.value, etag = excluded.etag,
                    fetchedAt = excluded.fetchedAt, freshUntil = excluded.freshUntil, usedAt = excluded.usedAt,
                    bytes = excluded.bytes
                    """,
                arguments: [uid, "account".blob, "page".blob, Data(value), etag?.blob, now, time, time, bytes]
            )
            return Date(microseconds: now)
        }
    }

    @discardableResult
    func confirm(of uid: UInt32) async throws(StoreError) -> Date? {
        try await change { db, now, time in
            try db.execute(
                sql: "UPDATE cache SET fetchedAt = ?, freshUntil = ?, usedAt = ? WHERE uid = ? AND freshUntil > ?",
                arguments: [now, time, time, uid, time.clamped(minus: maximumAge.microseconds)]
            )
            return db.changesCount > 0 ? Date(microseconds: now) : nil
        }
    }

    func remove(of uid: UInt32) async throws(StoreError) {
        try await change(erases: true) { db, _, _ in
            try db.execute(sql: "DELETE FROM cache WHERE uid = ?", arguments: [uid])
        }
    }

    func trim() async throws(StoreError) {
        try await change { _, _, _ in }
    }

    private func change<Result: Sendable>(
        erases: Bool = false,
        _ body: @escaping @Sendable (Database, _ now: Int64, _ time: Int64) throws -> Result
    ) async throws(StoreError) -> Result {
        try await database.write(erases: erases) { db in
            try database.ages.save(db)
            let result = try body(db, database.clock().microseconds, time)
            try Self.trim(db, database.bounds, now: time)
            return result
        }
    }

    /// Removes the expired entries, then those that were stored or confirmed longest ago until the rest fits.
    static func trim(_ db: Database, _ bounds: StoreBounds, now: Int64) throws {
        let oldest = now.clamped(minus: bounds.cacheAge.microseconds)
        try db.execute(sql: "DELETE FROM cache WHERE freshUntil <= ?", arguments: [oldest])
        while try Int.fetchOne(db, sql: "SELECT bytes FROM cacheTotal") ?? 0 > bounds.cacheBytes {
            try db.execute(
                sql: "DELETE FROM cache WHERE entry = (SELECT entry FROM cache ORDER BY freshUntil, uid LIMIT 1)"
            )
            if db.changesCount == 0 { break }
        }
    }
}
