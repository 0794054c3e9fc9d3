import FoundationEssentials
import GRDB
package import ViewModelHost
import ViewModelStorage

/// The saved sessions in the store's file.
///
/// One daemon has the file, so each session has one fence, and no write checks it.
package final class SessionArchive: Store {
    let database: DatabaseFile

    private enum Outcome: Equatable {
        case saved
        case tooLarge
        case forgotten
    }

    let bounds: CurrentBounds
    private let ages: StoreClock

    init(database: DatabaseFile, bounds: CurrentBounds, ages: StoreClock) {
        self.database = database
        self.bounds = bounds
        self.ages = ages
    }

    package func acquire(_ key: SessionKey, mayCreate: Bool) async throws -> AcquiredSession? {
        let saved = try await sharing { () throws(StoreError) in try await load(key) }
        return saved == nil && !mayCreate ? nil : AcquiredSession(fence: .single, saved: saved)
    }

    private func load(_ key: SessionKey) async throws(StoreError) -> SavedSession? {
        try await database.read { db in
            guard let session = try Self.number(db, key) else { return nil }
            var saved = SavedSession()
            let instances = try Row.fetchAll(
                db,
                sql: "SELECT id, type, arguments FROM sessionInstance WHERE session = ? ORDER BY position",
                arguments: [session]
            )
            saved.instances = try instances.map { try SavedInstance($0) }
            let values = try Row.fetchAll(
                db,
                sql: "SELECT owner, name, text FROM sessionValue WHERE session = ?",
                arguments: [session]
            )
            for row in values {
                let key = try SavedValue.Key(row)
                // JSON text is never empty, so such a row was edited by hand.
                let text = try row.bytes("text")
                if !text.isEmpty { saved.values[key] = text }
            }
            return saved
        }
    }

    /// Saves the changes of a session in one transaction.
    ///
    /// - Throws: ``SessionTooLarge`` and ``SessionForgotten``. The former state of the session stays then.
    package func save(_ changes: SessionChanges) async throws {
        let now = ages.now
        let bounds = bounds.value
        let outcome = try await write { db in
            var outcome = Outcome.saved
            try db.inSavepoint {
                outcome = try Self.save(changes, db, now, bounds)
                return outcome == .saved ? .commit : .rollback
            }
            return outcome
        }
        switch outcome {
        case .saved: break
        case .tooLarge: throw SessionTooLarge(limit: bounds.savedBytes)
        case .forgotten: throw SessionForgotten()
        }
    }

    /// Erases a session.
    ///
    /// No file of the store contains its data when this returns.
    package func erase(_ key: SessionKey, under fence: SessionFence) async throws {
        try await write(erases: true) { db in
            try db.execute(
                sql: "DELETE FROM session WHERE uid = ? AND name = ?",
                arguments: [key.uid, key.name]
            )
        }
    }

    package func touch(_ key: SessionKey) async throws {
        let now = ages.now
        try await write { db in
            try db.execute(
                sql: "UPDATE session SET usedAt = max(usedAt, ?) WHERE uid = ? AND name = ?",
                arguments: [now, key.uid, key.name]
            )
        }
    }

    package func eraseUnused(forDays days: Int) async throws {
        let oldest = ages.now.clamped(minus: Duration.seconds(86_400 * Double(max(days, 0))).microseconds)
        try await write { db in
            try self.ages.save(db)
            try db.execute(sql: "DELETE FROM session WHERE usedAt < ?", arguments: [oldest])
        }
    }
}

extension SessionArchive {
    /// Runs a write of the file, and maps its errors to those of `Store`.
    func write<Value: Sendable>(
        erases: Bool = false,
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await sharing { () throws(StoreError) in try await database.write(erases: erases, body) }
    }

    /// Maps the errors of `body` to those of `Store`.
    func sharing<Value>(_ body: () async throws(StoreError) -> Value) async throws -> Value {
        do {
            return try await body()
        } catch {
            throw error.forHost
        }
    }

    private static func save(
        _ changes: SessionChanges,
        _ db: Database,
        _ now: Int64,
        _ bounds: StoreBounds
    ) throws -> Outcome {
        let session: Int64
        if let known = try number(db, changes.key) {
            session = known
            try db.execute(
                sql: "UPDATE session SET usedAt = max(usedAt, ?) WHERE session = ?",
                arguments: [now, known]
            )
        } else {
            guard changes.isComplete else { return .forgotten }
            try db.execute(
                sql: "INSERT INTO session (uid, name, usedAt) VALUES (?, ?, ?)",
                arguments: [changes.key.uid, changes.key.name, now]
            )
            session = db.lastInsertedRowID
        }
        if let instances = changes.instances { try replace(db, session, instances) }
        for value in changes.values { try save(db, session, value) }
        guard try size(db, session) <= bounds.savedBytes else { return .tooLarge }
        if changes.isComplete { try eraseOldest(db, but: session, changes, keeping: bounds.savedSessions) }
        return .saved
    }

    /// Returns the bytes of a session's values and instances, names included.
    private static func size(_ db: Database, _ session: Int64) throws -> Int {
        let sql = """
            SELECT coalesce((
                SELECT sum(length(text) + length(CAST(owner AS BLOB)) + length(CAST(name AS BLOB)))
                FROM sessionValue WHERE session = :session
            ), 0) + coalesce((
                SELECT sum(length(CAST(id AS BLOB)) + length(CAST(type AS BLOB)) + coalesce(length(arguments), 0))
                FROM sessionInstance WHERE session = :session
            ), 0)
            """
        return try Int.fetchOne(db, sql: sql, arguments: ["session": session]) ?? 0
    }

    /// Erases the user's least recently used sessions beyond `limit`, but neither the one that is being saved nor others
    /// that live.
    private static func eraseOldest(
        _ db: Database,
        but session: Int64,
        _ changes: SessionChanges,
        keeping limit: Int
    ) throws {
        let uid = changes.key.uid
        let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM session WHERE uid = ?", arguments: [uid]) ?? 0
        guard count > limit else { return }
        let living = String(decoding: try JSONEncoder().encode(changes.living), as: UTF8.self)
        try db.execute(
            sql: """
                DELETE FROM session WHERE session IN (
                    SELECT session FROM session
                    WHERE uid = ? AND session <> ? AND name NOT IN (SELECT value FROM json_each(?))
                    ORDER BY usedAt, session LIMIT ?
                )
                """,
            arguments: [uid, session, living, count - max(limit, 1)]
        )
    }

    private static func number(_ db: Database, _ key: SessionKey) throws -> Int64? {
        try Int64.fetchOne(
            db,
            sql: "SELECT session FROM session WHERE uid = ? AND name = ?",
            arguments: [key.uid, key.name]
        )
    }

    /// Replaces the instances, and erases the values of the removed ones and their children.
    private static func replace(_ db: Database, _ session: Int64, _ instances: [SavedInstance]) throws {
        let former = try String.fetchSet(
            db,
            sql: "SELECT id FROM sessionInstance WHERE session = ?",
            arguments: [session]
        )
        for id in former.subtracting(instances.map(\.id)) {
            try db.execute(
                sql: "DELETE FROM sessionValue WHERE session = ? AND (owner = ? OR substr(owner, 1, ?) = ?)",
                arguments: [session, id, id.unicodeScalars.count + 1, id + "."]
            )
        }
        try db.execute(sql: "DELETE FROM sessionInstance WHERE session = ?", arguments: [session])
        for (position, instance) in instances.enumerated() {
            try db.execute(
                sql: "INSERT INTO sessionInstance (session, position, id, type, arguments) VALUES (?, ?, ?, ?, ?)",
                arguments: [session, position, instance.id, instance.type, instance.arguments.map { Data($0) }]
            )
        }
    }

    /// Inserts the contents of a session that has none.
    static func insert(_ saved: SavedSession, _ db: Database, _ session: Int64) throws {
        try replace(db, session, saved.instances)
        for (key, text) in saved.values { try save(db, session, SavedValue(key: key, text: text)) }
    }

    private static func save(_ db: Database, _ session: Int64, _ value: SavedValue) throws {
        guard let text = value.text else {
            try db.execute(
                sql: "DELETE FROM sessionValue WHERE session = ? AND owner = ? AND name = ?",
                arguments: [session, value.key.owner, value.key.name]
            )
            return
        }
        try db.execute(
            sql: """
                INSERT INTO sessionValue (session, owner, name, text) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET text = excluded.text
                """,
            arguments: [session, value.key.owner, value.key.name, Data(text)]
        )
    }
}

extension SavedInstance {
    init(_ row: Row) throws {
        self.init(
            id: try row.value("id"),
            type: try row.value("type"),
            arguments: try row.optional("arguments", as: Data.self).flatMap { $0.isEmpty ? nil : Array($0) }
        )
    }
}

extension SavedValue.Key {
    init(_ row: Row) throws {
        self.init(owner: try row.value("owner"), name: try row.value("name"))
    }
}
