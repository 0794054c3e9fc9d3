import FoundationEssentials
import GRDB
import ViewModelHost
import ViewModelStorage

/// The saved sessions in the store's file.
///
/// One daemon has the file, so each session has one fence, and no write checks it.
struct SessionArchive: Store {
    let database: DatabaseFile

    func acquire(_ key: SessionKey, _ mode: ClaimMode, mayCreate: Bool) async throws -> AcquiredSession? {
        let saved = try await load(key)
        // The file may be full, which does not reject the client.
        if saved != nil, mode != .close { try? await touch(key) }
        return saved == nil && !mayCreate ? nil : AcquiredSession(fence: .single, saved: saved)
    }

    private func load(_ key: SessionKey) async throws(StoreError) -> SavedSession? {
        try await database.read { db in
            guard let session = try Self.number(db, key) else { return nil }
            let instances = try Row.fetchAll(
                db,
                sql: "SELECT id, type, arguments FROM sessionInstance WHERE session = ? ORDER BY position",
                arguments: [session]
            ).map { row in
                let arguments = try row.optional("arguments", as: Data.self).flatMap { $0.isEmpty ? nil : Array($0) }
                return SavedInstance(id: try row.value("id"), type: try row.value("type"), arguments: arguments)
            }
            return SavedSession(instances: instances, values: try ValueTable.session.values(of: session, db))
        }
    }

    func save(_ changes: SessionChanges) async throws {
        let (now, bounds) = (database.ages.now, database.bounds)
        try await writeUnlessRefused { try Self.save(changes, $0, now, bounds) }
    }

    func erase(_ key: SessionKey, under fence: SessionFence) async throws {
        try await database.write(erases: true) { db in
            try db.execute(
                sql: "DELETE FROM session WHERE uid = ? AND name = ?",
                arguments: [key.uid, key.name]
            )
        }
    }

    func touch(_ key: SessionKey) async throws {
        let now = database.ages.now
        try await database.write { db in
            try db.execute(
                sql: "UPDATE session SET usedAt = max(usedAt, ?) WHERE uid = ? AND name = ?",
                arguments: [now, key.uid, key.name]
            )
        }
    }

    func eraseUnused(forDays days: Int) async throws {
        let oldest = database.ages.now.clamped(minus: Duration.seconds(86_400 * Double(max(days, 0))).microseconds)
        try await database.write { db in
            try database.ages.save(db)
            try db.execute(sql: "DELETE FROM session WHERE usedAt < ?", arguments: [oldest])
        }
    }
}

extension SessionArchive {
    /// Runs a write of the file, which is rolled back if it returns the reason why it is refused.
    ///
    /// - Throws: the reason.
    func writeUnlessRefused(_ body: @escaping @Sendable (Database) throws -> (any Error)?) async throws {
        let refusal = try await database.write { db in
            var refusal: (any Error)?
            try db.inSavepoint {
                refusal = try body(db)
                return refusal == nil ? .commit : .rollback
            }
            return refusal
        }
        if let refusal { throw refusal }
    }

    private static func save(
        _ changes: SessionChanges,
        _ db: Database,
        _ now: Int64,
        _ bounds: StoreBounds
    ) throws -> (any Error)? {
        let session: Int64
        if let known = try number(db, changes.key) {
            session = known
            try db.execute(
                sql: "UPDATE session SET usedAt = max(usedAt, ?) WHERE session = ?",
                arguments: [now, known]
            )
        } else {
            guard changes.isComplete else { return SessionForgotten() }
            try db.execute(
                sql: "INSERT INTO session (uid, name, usedAt) VALUES (?, ?, ?)",
                arguments: [changes.key.uid, changes.key.name, now]
            )
            session = db.lastInsertedRowID
        }
        if let instances = changes.instances { try replace(db, session, instances) }
        for value in changes.values { try ValueTable.session.save(value.text, value.key, of: session, db) }
        let size = try instanceSize(db, session) + ValueTable.session.size(of: session, db)
        guard size <= bounds.savedBytes else { return SavedStateTooLarge(limit: bounds.savedBytes) }
        if changes.isComplete { try eraseOldest(db, but: session, changes, keeping: bounds.savedSessions) }
        return nil
    }

    /// Returns the bytes of a session's instances, names included.
    private static func instanceSize(_ db: Database, _ session: Int64) throws -> Int {
        let sql = """
            SELECT coalesce(
                sum(length(CAST(id AS BLOB)) + length(CAST(type AS BLOB)) + coalesce(length(arguments), 0)), 0
            ) FROM sessionInstance WHERE session = ?
            """
        return try Int.fetchOne(db, sql: sql, arguments: [session]) ?? 0
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
}
