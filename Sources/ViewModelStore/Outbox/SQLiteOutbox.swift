import FoundationEssentials
import GRDB
import ViewModelStorage

/// The outbox in the store's file.
struct SQLiteOutbox: Outbox {
    let database: DatabaseFile

    func add(_ text: String, id: String?, of uid: UInt32) async throws(StoreError) -> OutboxAddition {
        let (now, bounds) = (database.ages.now, database.bounds)
        return try await database.write { db in
            var item = OutboxMessage(text: text, id: id)
            if let id,
                let addedAt = try Int64.fetchOne(db, sql: "SELECT createdAt FROM outbox WHERE id = ?", arguments: [id])
            {
                let isRepeated = addedAt > now.clamped(minus: Self.repetitionTime.microseconds)
                if isRepeated, let known = try Self.item(db, id, uid) { return .success(known) }
                item = OutboxMessage(text: text)
            }
            let total = try Row.fetchOne(
                db,
                sql: "SELECT items, bytes FROM outboxTotal WHERE uid = ?",
                arguments: [uid]
            )
            let refusal = bounds.refusal(
                of: text,
                beside: try total?.value("items") ?? 0,
                bytes: try total?.value("bytes") ?? 0
            )
            if let refusal { return .failure(refusal) }
            try db.execute(
                sql: "INSERT INTO outbox (id, uid, text, status, createdAt) VALUES (?, ?, ?, ?, ?)",
                arguments: [item.id, uid, text.blob, item.status.rawValue, now]
            )
            return .success(item)
        }
    }

    func size(of uid: UInt32) async throws(StoreError) -> (items: Int, bytes: Int) {
        try await database.read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT coalesce(t.items, 0) + s.items AS items, coalesce(t.bytes, 0) + s.bytes AS bytes FROM (
                        SELECT count(*) AS items, coalesce(sum(length(text)), 0) AS bytes FROM outbox
                        WHERE uid = ? AND status = 'sent'
                    ) s LEFT JOIN outboxTotal t ON t.uid = ?
                    """,
                arguments: [uid, uid]
            )
            return try (row?.value("items") ?? 0, row?.value("bytes") ?? 0)
        }
    }

    func remove(_ id: String, of uid: UInt32) async throws(StoreError) -> Bool {
        try await database.write { db in
            let sql = "DELETE FROM outbox WHERE id = ? AND uid = ? AND status <> 'sending'"
            try db.execute(sql: sql, arguments: [id, uid])
            return try Self.item(db, id, uid) != nil
        }
    }

    func items(of uid: UInt32) async throws(StoreError) -> [OutboxMessage] {
        try await database.read { try Self.items($0, uid) }
    }

    static let columns = "id, text, status, attempts, problem"

    static func items(_ db: Database, _ uid: UInt32) throws -> [OutboxMessage] {
        let sql = "SELECT \(columns) FROM outbox WHERE uid = ? ORDER BY position"
        return try Row.fetchAll(db, sql: sql, arguments: [uid]).map { try OutboxMessage($0) }
    }

    private static func item(_ db: Database, _ id: String, _ uid: UInt32) throws -> OutboxMessage? {
        let sql = "SELECT \(columns) FROM outbox WHERE id = ? AND uid = ?"
        return try Row.fetchOne(db, sql: sql, arguments: [id, uid]).map { try OutboxMessage($0) }
    }
}

extension OutboxMessage {
    init(_ row: Row) throws {
        guard let status = Status(rawValue: try row.value("status")) else { throw UnexpectedColumn(name: "status") }
        self.init(
            id: try row.value("id"),
            text: try row.text("text"),
            status: status,
            attempts: try row.value("attempts"),
            problem: try row.optionalText("problem")
        )
    }
}
