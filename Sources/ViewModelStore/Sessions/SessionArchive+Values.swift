import FoundationEssentials
import GRDB
package import ViewModelHost
import ViewModelStorage

/// The values that are kept for a user or for the daemon.
extension SessionArchive {
    package func loadValues(of area: ValueArea) async throws -> [SavedValue.Key: [UInt8]] {
        try await sharing { () throws(StoreError) in
            try await database.read { db in
                let rows = try Row.fetchAll(
                    db,
                    sql: "SELECT owner, name, text FROM lastingValue WHERE uid = ?",
                    arguments: [area.number]
                )
                var values: [SavedValue.Key: [UInt8]] = [:]
                for row in rows {
                    // JSON text is never empty, so an empty one was edited by hand.
                    let text = try row.bytes("text")
                    if !text.isEmpty {
                        values[try SavedValue.Key(row)] = text
                    }
                }
                return values
            }
        }
    }

    /// Saves values in one transaction.
    ///
    /// - Throws: ``ValuesTooLarge`` if all values of the area are together larger than a session may be. The former
    ///   values stay then.
    package func save(_ changes: [LastingChange], of area: ValueArea) async throws -> [SavedValue.Key: [UInt8]] {
        let limit = bounds.value.savedBytes
        let isSaved = try await write { db in
            var isSaved = false
            try db.inSavepoint {
                for change in changes { try Self.save(db, area, SavedValue(key: change.key, text: change.text)) }
                isSaved = try Self.size(db, area) <= limit
                return isSaved ? .commit : .rollback
            }
            return isSaved
        }
        if !isSaved { throw ValuesTooLarge(limit: limit) }
        return [:]
    }

    static func save(_ db: Database, _ area: ValueArea, _ value: SavedValue) throws {
        guard let text = value.text else {
            return try db.execute(
                sql: "DELETE FROM lastingValue WHERE uid = ? AND owner = ? AND name = ?",
                arguments: [area.number, value.key.owner, value.key.name]
            )
        }
        try db.execute(
            sql: """
                INSERT INTO lastingValue (uid, owner, name, text) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET text = excluded.text
                """,
            arguments: [area.number, value.key.owner, value.key.name, Data(text)]
        )
    }

    /// Returns the bytes of an area's values, names included.
    private static func size(_ db: Database, _ area: ValueArea) throws -> Int {
        let sql = """
            SELECT coalesce(sum(length(text) + length(CAST(owner AS BLOB)) + length(CAST(name AS BLOB))), 0)
            FROM lastingValue WHERE uid = ?
            """
        return try Int.fetchOne(db, sql: sql, arguments: [area.number]) ?? 0
    }
}
