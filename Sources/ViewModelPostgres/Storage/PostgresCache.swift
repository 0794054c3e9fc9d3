import FoundationEssentials
import ViewModelStorage

/// The cached account pages, in the shared database.
///
/// A removed page is out of reach at once. PostgreSQL overwrites its former versions in its own time.
struct PostgresCache: Cache {
    let database: SharedDatabase

    /// The age in microseconds beyond which an entry has expired.
    private var maximumAge: SQLValue { .integer(database.bounds.cacheAge.microseconds) }

    func entry(of uid: UInt32) async throws(StoreError) -> CacheEntry? {
        let rows = try await database.pool.rows(
            """
            SELECT value, etag, fetched_at, \(SharedDatabase.now(2)) AS now FROM cache
            WHERE uid = $1 AND fetched_at > \(SharedDatabase.now(2)) - $3 AND stored_at > $4 - $3
            """,
            // What is only hidden by a wrong time of day is kept.
            [.number(uid), database.time, maximumAge, database.age]
        )
        guard let row = rows.first else { return nil }
        return CacheEntry(
            value: try row.bytes("value"),
            etag: try row.optionalBytes("etag").map { String(decoding: $0, as: UTF8.self) },
            // The clock may have been set back. A negative age cannot be shown.
            fetchedAt: Date(microseconds: min(try row.integer("fetched_at"), try row.integer("now")))
        )
    }

    @discardableResult
    func store(_ value: [UInt8], etag: String?, of uid: UInt32) async throws(StoreError) -> Date? {
        let bytes = CacheEntry.bytes(value: value, etag: etag)
        guard bytes <= database.bounds.cacheBytes else {
            try await remove(of: uid)
            return nil
        }
        return try await change(
            """
            INSERT INTO cache (uid, value, etag, bytes, fetched_at, stored_at)
            VALUES ($1, $3, $4, $5, \(SharedDatabase.now(2)), $6)
            ON CONFLICT (uid) DO UPDATE SET value = excluded.value, etag = excluded.etag, bytes = excluded.bytes,
            fetched_at = excluded.fetched_at, stored_at = excluded.stored_at
            RETURNING uid, fetched_at
            """,
            [.number(uid), database.time, .bytes(value), .bytes(of: etag), .number(bytes), database.age]
        )
    }

    @discardableResult
    func confirm(of uid: UInt32) async throws(StoreError) -> Date? {
        try await change(
            """
            UPDATE cache SET fetched_at = \(SharedDatabase.now(2)), stored_at = $3
            WHERE uid = $1 AND stored_at > $3 - $4::bigint RETURNING uid, fetched_at
            """,
            [.number(uid), database.time, database.age, maximumAge]
        )
    }

    func remove(of uid: UInt32) async throws(StoreError) {
        // The removal of the token, which follows, sends the hint to the other nodes.
        try await database.change(.account, ("DELETE FROM cache WHERE uid = $1", [.number(uid)]))
    }

    func trim() async throws(StoreError) {
        try await database.change(
            .account,
            (
                """
                DELETE FROM cache c USING (
                    SELECT uid, stored_at, sum(bytes) OVER (ORDER BY stored_at DESC, uid DESC) AS total FROM cache
                ) ranked WHERE c.uid = ranked.uid AND c.stored_at = ranked.stored_at
                AND (ranked.total > $3 OR c.stored_at <= $1 - $2::bigint)
                """,
                [database.age, maximumAge, .number(database.bounds.cacheBytes)]
            )
        )
    }

    /// Changes the page of a user; returns the time of the entry, or nil if none is fresh enough.
    private func change(_ sql: String, _ values: [SQLValue]) async throws(StoreError) -> Date? {
        try await database.change(.account, (StorageChange.raising(sql, .account), values)) {
            try $0[0].first.map { Date(microseconds: try $0.integer("fetched_at")) }
        }
    }
}
