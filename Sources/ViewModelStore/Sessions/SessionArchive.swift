import FoundationEssentials
import GRDB
package import ViewModelHost

/// What named sessions leave behind, in the store's file.
package final class SessionArchive: Store {
    private let database: DatabaseFile
    private let clock: @Sendable () -> Date

    init(database: DatabaseFile, clock: @escaping @Sendable () -> Date) {
        self.database = database
        self.clock = clock
    }

    package func load(_ key: SessionKey) async throws -> SavedSession? {
        try await database.read { db in
            guard let session = try Self.number(db, key) else { return nil }
            var saved = SavedSession()
            let instances = try Row.fetchAll(
                db,
                sql: "SELECT id, type, arguments FROM sessionInstance WHERE session = ? ORDER BY position",
                arguments: [session]
            )
            saved.instances = try instances.map { row in
                SavedInstance(
                    id: try row.value("id"),
                    type: try row.value("type"),
                    arguments: try row.optional("arguments", as: Data.self).map { Array($0) }
                )
            }
            let values = try Row.fetchAll(
                db,
                sql: "SELECT owner, name, text FROM sessionValue WHERE session = ?",
                arguments: [session]
            )
            for row in values {
                let place = SavedValue.Place(owner: try row.value("owner"), name: try row.value("name"))
                saved.values[place] = try row.bytes("text")
            }
            return saved
        }
    }

    package func save(_ changes: SessionChanges) async throws {
        let now = clock().microseconds
        try await database.write { db in
            let session = try Int64.fetchOne(
                db,
                sql: """
                    INSERT INTO session (uid, name, usedAt) VALUES (?, ?, ?)
                    ON CONFLICT (uid, name) DO UPDATE SET usedAt = max(usedAt, excluded.usedAt) RETURNING session
                    """,
                arguments: [changes.key.uid, changes.key.name, now]
            )
            guard let session else { throw UnexpectedColumn(name: "session") }
            if let instances = changes.instances { try Self.replace(db, session, instances) }
            for value in changes.values { try Self.save(db, session, value) }
        }
    }

    package func erase(_ key: SessionKey) async throws {
        try await database.write { db in
            try db.execute(
                sql: "DELETE FROM session WHERE uid = ? AND name = ?",
                arguments: [key.uid, key.name]
            )
        }
    }

    package func touch(_ key: SessionKey) async throws {
        let now = clock().microseconds
        try await database.write { db in
            try db.execute(
                sql: "UPDATE session SET usedAt = max(usedAt, ?) WHERE uid = ? AND name = ?",
                arguments: [now, key.uid, key.name]
            )
        }
    }

    package func eraseUnused(forDays days: Int) async throws {
        let oldest = clock().microseconds.clamped(minus: Duration.seconds(86_400 * Double(max(days, 0))).microseconds)
        try await database.write { db in
            try db.execute(sql: "DELETE FROM session WHERE usedAt < ?", arguments: [oldest])
        }
    }
}

extension SessionArchive {
    private static func number(_ db: Database, _ key: SessionKey) throws -> Int64? {
        try Int64.fetchOne(
            db,
            sql: "SELECT session FROM session WHERE uid = ? AND name = ?",
            arguments: [key.uid, key.name]
        )
    }

    /// Replaces the instances, and erases the values of those that went, children included.
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

    private static func save(_ db: Database, _ session: Int64, _ value: SavedValue) throws {
        guard let text = value.text else {
            try db.execute(
                sql: "DELETE FROM sessionValue WHERE session = ? AND owner = ? AND name = ?",
                arguments: [session, value.place.owner, value.place.name]
            )
            return
        }
        try db.execute(
            sql: """
                INSERT INTO sessionValue (session, owner, name, text) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET text = excluded.text
                """,
            arguments: [session, value.place.owner, value.place.name, Data(text)]
        )
    }
}
