import FoundationEssentials
import GRDB
import Synchronization

/// What was fetched for a user, to be shown until it is fetched again.
///
/// An entry is named by its user, a namespace and a key. An entry beyond the maximum age is gone. When the cache becomes too
/// big, the least recently used entries are removed.
///
/// Isolation: used from anywhere. Reading writes nothing: uses are noted with the next write.
public final class Cache: Sendable {
    /// When entries were used that no write has noted yet.
    struct Uses {
        var entries: [Int64: Int64] = [:]
        /// The last use of all; nil while nobody has looked.
        var last: Int64?
    }

    /// What an entry takes besides its bytes, as a round figure.
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

    /// How many bytes it may take.
    var maximumBytes: Int { bounds.withLock { $0.bytes } }
    private var maximumAge: Duration { bounds.withLock { $0.age } }

    /// Takes other bounds, which hold from the next reading or writing on.
    public func limit(toBytes bytes: Int, age: Duration) {
        bounds.withLock { $0 = Bounds(bytes: bytes, age: age) }
    }

    /// What is kept under a key, or nil.
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
                // A time in the future, as after the clock was set back, is no age that can be shown.
                fetchedAt: Date(microseconds: min(fetchedAt, now))
            )
        }
    }

    /// Keeps a value, in the place of a former one, as fetched now.
    ///
    /// One that is bigger than the whole cache is not kept, and the former one is gone.
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

    /// Takes note that the backend confirmed what is kept (304 Not Modified); without effect where nothing is, or nothing that
    /// is young enough.
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

    /// Forgets what is kept under a key.
    public func remove(of uid: UInt32, namespace: String, key: String) async throws(StoreError) {
        try await change { db, _ in
            try db.execute(
                sql: "DELETE FROM cache WHERE uid = ? AND namespace = ? AND key = ?",
                arguments: [uid, namespace.blob, key.blob]
            )
        }
    }

    /// Forgets everything of a user, as on sign-out; no file of the store holds any of it when this returns.
    public func removeAll(of uid: UInt32) async throws(StoreError) {
        try await change(erases: true) { db, _ in
            try db.execute(sql: "DELETE FROM cache WHERE uid = ?", arguments: [uid])
        }
    }

    /// What all entries of all users take, as it is counted against the maximum.
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
