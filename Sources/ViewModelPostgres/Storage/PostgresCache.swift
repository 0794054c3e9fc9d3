import FoundationEssentials
import Synchronization
import ViewModelStorage

/// The cached account pages, in the shared database.
///
/// Uses by reads are saved with the next write, as far as this node has made them.
///
/// A removed page is out of reach at once. PostgreSQL overwrites its former versions in its own time.
final class PostgresCache: Cache {
    /// The times of reads that no write has saved yet.
    private struct Uses {
        var entries: [Int64: Int64] = [:]
        var last: Int64 = 0
    }

    private let database: SharedDatabase
    private let uses = Mutex(Uses())

    init(_ database: SharedDatabase) {
        self.database = database
    }

    /// The age in microseconds beyond which an entry has expired.
    private var maximumAge: SQLValue { .number(Int64(database.bounds.value.cacheAge / .microseconds(1))) }

    func entry(of uid: UInt32) async throws(StoreError) -> CacheEntry? {
        let rows = try await database.read(
            """
            SELECT value, etag, fetched_at, \(SharedDatabase.now(2)) AS now,
            (SELECT max(used_at) FROM cache) AS latest FROM cache
            WHERE uid = $1 AND fetched_at > \(SharedDatabase.now(2)) - $3 AND stored_at > $4 - $3
            """,
            // What is only hidden by a wrong time of day is kept.
            [.number(uid), database.time, maximumAge, database.age]
        )
        return try await database.storing {
            guard let row = rows.first else { return nil }
            let now: Int64 = try row.integer("now")
            recordUse(of: uid, at: now, after: try row.integer("latest"))
            return CacheEntry(
                value: try row.bytes("value"),
                etag: try row.optionalBytes("etag").map { String(decoding: $0, as: UTF8.self) },
                // The clock may have been set back. A negative age cannot be shown.
                fetchedAt: Self.date(min(try row.integer("fetched_at"), now))
            )
        }
    }

    @discardableResult
    func store(_ value: [UInt8], etag: String?, of uid: UInt32) async throws(StoreError) -> Date? {
        let bytes = CacheEntry.bytes(value: value, etag: etag)
        guard bytes <= database.bounds.value.cacheBytes else {
            try await remove(of: uid)
            return nil
        }
        return try await change(
            raises: true,
            """
            INSERT INTO cache (uid, value, etag, bytes, fetched_at, used_at, stored_at)
            VALUES ($1, $3, $4, $5, \(SharedDatabase.now(2)), \(Self.nextUse), $6)
            ON CONFLICT (uid) DO UPDATE SET value = excluded.value, etag = excluded.etag,
            fetched_at = excluded.fetched_at, used_at = excluded.used_at, bytes = excluded.bytes,
            stored_at = excluded.stored_at
            RETURNING uid, fetched_at
            """,
            [.number(uid), database.time, .bytes(value), .bytes(of: etag), .number(bytes), database.age]
        )
    }

    @discardableResult
    func confirm(of uid: UInt32) async throws(StoreError) -> Date? {
        try await change(
            raises: true,
            """
            UPDATE cache SET fetched_at = \(SharedDatabase.now(2)), used_at = \(Self.nextUse), stored_at = $3
            WHERE uid = $1 AND stored_at > $3 - $4::bigint RETURNING uid, fetched_at
            """,
            [.number(uid), database.time, database.age, maximumAge]
        )
    }

    func remove(of uid: UInt32) async throws(StoreError) {
        // The removal of the token, which follows, tells the other nodes.
        try await change(raises: false, "DELETE FROM cache WHERE uid = $1", [.number(uid)])
    }

    func bytes() async throws(StoreError) -> Int {
        let rows = try await database.read("SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM cache")
        return try await database.storing { try rows.first?.integer("bytes") ?? 0 }
    }

    /// The expression of a time of use that is later than all others; the time is the parameter 2.
    private static let nextUse = """
        greatest(\(SharedDatabase.now(2)), (SELECT coalesce(max(used_at), 0) + 1 FROM cache))
        """

    private static func date(_ microseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(microseconds) / 1_000_000)
    }

    /// Executes a statement, then removes what has expired and what exceeds the bound.
    ///
    /// - Returns: the time of the entry that the statement has changed, if it returns one.
    @discardableResult
    private func change(raises: Bool, _ sql: String, _ values: [SQLValue]) async throws(StoreError) -> Date? {
        let unsaved = uses.withLock { $0.entries }
        let results = try await database.change(
            .account,
            (
                """
                UPDATE cache SET used_at = used.time FROM unnest($1::bigint[], $2::bigint[]) AS used (uid, time)
                WHERE cache.uid = used.uid AND cache.used_at < used.time
                """,
                [.integers(unsaved.map(\.key)), .integers(unsaved.map(\.value))]
            ),
            (raises ? ChangeNotice.raising(sql, .account) : sql, values),
            ("DELETE FROM cache WHERE stored_at <= $1 - $2::bigint", [database.age, maximumAge]),
            (
                """
                DELETE FROM cache WHERE uid IN (
                    SELECT uid FROM (
                        SELECT uid, sum(bytes) OVER (ORDER BY used_at DESC, uid) AS total FROM cache
                    ) AS latest WHERE total > $1
                )
                """,
                [.number(database.bounds.value.cacheBytes)]
            )
        )
        uses.withLock { uses in
            for (uid, time) in unsaved where uses.entries[uid] == time { uses.entries[uid] = nil }
        }
        return try await database.storing {
            guard let row = results[1].first, row.has("fetched_at") else { return nil }
            return Self.date(try row.integer("fetched_at"))
        }
    }

    /// Records a use, later than all former ones of this node and than the latest one in the database.
    private func recordUse(of uid: UInt32, at now: Int64, after latest: Int64) {
        uses.withLock { uses in
            uses.last = max(now, max(uses.last, latest) + 1)
            // A use that is not saved lets an entry seem older.
            if uses.entries.count >= 1000 { uses.entries = [:] }
            uses.entries[Int64(uid)] = uses.last
        }
    }
}
