import FoundationEssentials
import GRDB
import Synchronization

/// A cache of backend responses, one set of entries for each user.
///
/// A uid, a namespace and a key identify an entry. An entry older than the maximum age is never returned. If the cache
/// exceeds its size, the least recently used entries are removed.
///
/// Isolation: used from anywhere. A read writes nothing to the file. The next write saves the times of the reads.
public final class Cache: Sendable {
    /// The times of reads that no write has saved yet.
    struct Uses {
        var entries: [Int64: Int64] = [:]
        /// The latest use of all entries; nil before the first look-up.
        var last: Int64?
    }

    /// The bytes that are counted for an entry in addition to its contents, as an estimate.
    static let overhead = 128

    private struct Bounds {
        var bytes: Int
        var age: Duration
    }

    private let database: DatabaseFile
    private let bounds: Mutex<Bounds>
    private let clock: @Sendable () -> Date
    let uses = Mutex(Uses())

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
    var maximumBytes: Int { bounds.withLock { $0.bytes } }
    private var maximumAge: Duration { bounds.withLock { $0.age } }

    /// Changes the bounds, which apply from the next read or write on.
    public func limit(toBytes bytes: Int, age: Duration) {
        bounds.withLock { $0 = Bounds(bytes: bytes, age: age) }
    }

    /// Returns the entry of a key, or nil.
    public func entry(of uid: UInt32, namespace: String, key: String) async throws(StoreError) -> CacheEntry? {
        try await database.read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT entry, value, etag, fetchedAt FROM cache
                    WHERE uid = ? AND namespace = ? AND key = ?
                    """,
                arguments: [uid, namespace.blob, key.blob]
            )
            guard let row else { return nil }
            let (now, fetchedAt): (Int64, Int64) = try (self.clock().microseconds, row.value("fetchedAt"))
            guard now.clamped(minus: fetchedAt) < self.maximumAge.microseconds else { return nil }
            try self.noteUse(row.value("entry"), at: now, db)
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
    public func store(
        _ value: [UInt8],
        etag: String? = nil,
        of uid: UInt32,
        namespace: String,
        key: String
    ) async throws(StoreError) {
        let bytes = value.count + namespace.utf8.count + key.utf8.count + (etag?.utf8.count ?? 0) + Self.overhead
        guard bytes <= maximumBytes else { return try await remove(of: uid, namespace: namespace, key: key) }
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
                    uid, namespace.blob, key.blob, Data(value), etag?.blob,
                    now, now, self.nextUse(at: now, db), bytes,
                ]
            )
        }
    }

    /// Marks an entry as confirmed by the backend now (304 Not Modified).
    ///
    /// Missing and expired entries stay unchanged.
    public func confirm(of uid: UInt32, namespace: String, key: String) async throws(StoreError) {
        try await change { db, now in
            try db.execute(
                sql: """
                    UPDATE cache SET fetchedAt = ?, usedAt = ?
                    WHERE uid = ? AND namespace = ? AND key = ? AND fetchedAt > ?
                    """,
                arguments: try [
                    now, self.nextUse(at: now, db), uid, namespace.blob, key.blob,
                    now.clamped(minus: self.maximumAge.microseconds),
                ]
            )
        }
    }

    /// Removes the entry of a key.
    public func remove(of uid: UInt32, namespace: String, key: String) async throws(StoreError) {
        try await change { db, _ in
            try db.execute(
                sql: "DELETE FROM cache WHERE uid = ? AND namespace = ? AND key = ?",
                arguments: [uid, namespace.blob, key.blob]
            )
        }
    }

    /// Removes all entries of a user, as on sign-out.
    ///
    /// No file of the store contains them when this returns.
    public func removeAll(of uid: UInt32) async throws(StoreError) {
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
