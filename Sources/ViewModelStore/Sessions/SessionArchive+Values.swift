import FoundationEssentials
import GRDB
import ViewModelHost
import ViewModelStorage

/// The values that are kept for a user or for the daemon.
extension SessionArchive {
    func loadValues(of area: ValueArea) async throws -> [SavedValue.Key: [UInt8]] {
        try await database.read { try ValueTable.lasting.values(of: area.number, $0) }
    }

    func save(_ changes: [LastingChange], of area: ValueArea) async throws -> [SavedValue.Key: [UInt8]] {
        let limit = database.bounds.savedBytes
        try await writeUnlessRefused { db in
            for change in changes { try ValueTable.lasting.save(change.text, change.key, of: area.number, db) }
            return try ValueTable.lasting.size(of: area.number, db) <= limit ? nil : SavedStateTooLarge(limit: limit)
        }
        return [:]
    }
}

/// A table of values, each of which has an owner with a number.
enum ValueTable: String {
    case session = "sessionValue"
    case lasting = "lastingValue"

    private var column: String { self == .session ? "session" : "uid" }

    func values(of number: Int64, _ db: Database) throws -> [SavedValue.Key: [UInt8]] {
        var values: [SavedValue.Key: [UInt8]] = [:]
        let sql = "SELECT owner, name, text FROM \(rawValue) WHERE \(column) = ?"
        for row in try Row.fetchAll(db, sql: sql, arguments: [number]) {
            let key = SavedValue.Key(owner: try row.value("owner"), name: try row.value("name"))
            let text = try row.bytes("text")
            // JSON text is never empty, so such a row was edited by hand.
            if !text.isEmpty { values[key] = text }
        }
        return values
    }

    func save(_ text: [UInt8]?, _ key: SavedValue.Key, of number: Int64, _ db: Database) throws {
        guard let text else {
            return try db.execute(
                sql: "DELETE FROM \(rawValue) WHERE \(column) = ? AND owner = ? AND name = ?",
                arguments: [number, key.owner, key.name]
            )
        }
        try db.execute(
            sql: """
                INSERT INTO \(rawValue) (\(column), owner, name, text) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET text = excluded.text
                """,
            arguments: [number, key.owner, key.name, Data(text)]
        )
    }

    func size(of number: Int64, _ db: Database) throws -> Int {
        let sql = """
            SELECT coalesce(sum(length(text) + length(CAST(owner AS BLOB)) + length(CAST(name AS BLOB))), 0)
            FROM \(rawValue) WHERE \(column) = ? AND substr(name, 1, 6) <> char(1) || 'aside'
            """
        return try Int.fetchOne(db, sql: sql, arguments: [number]) ?? 0
    }
}
