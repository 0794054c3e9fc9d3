import FoundationEssentials
import GRDB
import ViewModelStorage

extension SQLiteOutbox {
    func claim(_ id: String?, of uid: UInt32) async throws(StoreError) -> OutboxMessage? {
        let oldest = "SELECT position FROM outbox WHERE uid = ? AND status = 'queued' ORDER BY position LIMIT 1"
        return try await database.write { db in
            try Self.change(
                db,
                "status = 'sending'",
                where: id == nil ? "position = (\(oldest))" : "uid = ? AND id = ? AND status = 'queued'",
                id.map { [uid, $0] as StatementArguments } ?? [uid]
            ).first
        }
    }

    func countAttempt(_ id: String, of uid: UInt32, problem: String?) async throws(StoreError) -> OutboxMessage? {
        try await database.write { db in
            try Self.change(
                db,
                "attempts = min(attempts, 999999999) + 1, problem = ?",
                where: "uid = ? AND id = ? AND status = 'sending'",
                [problem?.blob, uid, id]
            ).first
        }
    }

    func finish(_ id: String, of uid: UInt32, _ outcome: OutboxOutcome) async throws(StoreError) -> FinishedMessage? {
        try await database.write { db in
            let (status, problem) = outcome.state
            let item = try Self.change(
                db,
                "status = ?, problem = ?",
                where: "uid = ? AND id = ? AND status = 'sending'",
                [status.rawValue, problem?.blob, uid, id]
            ).first
            guard let item else { return nil }
            return (item, outcome == .sent ? try Self.recordSent(db, id, uid) : [])
        }
    }

    func retry(_ id: String?, of uid: UInt32) async throws(StoreError) -> [OutboxMessage] {
        try await database.write { db in
            try Self.change(
                db,
                "status = 'queued', attempts = 0, problem = NULL",
                where: "uid = ? AND status = 'failed'" + (id == nil ? "" : " AND id = ?"),
                id.map { [uid, $0] as StatementArguments } ?? [uid]
            )
        }
    }

    /// Queues the items that were `sending` when the former daemon died.
    static func recover(_ db: Database) throws {
        try db.execute(sql: "UPDATE outbox SET status = 'queued' WHERE status = 'sending'")
    }

    private static func change(
        _ db: Database,
        _ change: String,
        where condition: String,
        _ arguments: StatementArguments
    ) throws -> [OutboxMessage] {
        let sql = "UPDATE outbox SET \(change) WHERE \(condition) RETURNING \(columns)"
        return try Row.fetchAll(db, sql: sql, arguments: arguments).map { try OutboxMessage($0) }
    }

    /// Numbers a sent item in the order of sending, and removes the oldest sent items beyond the limit.
    ///
    /// - Returns: the ids of the removed items.
    private static func recordSent(_ db: Database, _ id: String, _ uid: UInt32) throws -> [String] {
        try db.execute(
            sql: """
                UPDATE outbox SET sentOrder = (SELECT min(coalesce(max(sentOrder), 0), 999999999999) + 1 FROM outbox WHERE uid = ?)
                WHERE id = ?
                """,
            arguments: [uid, id]
        )
        return try String.fetchAll(
            db,
            sql: """
                DELETE FROM outbox WHERE position IN (
                    SELECT position FROM outbox WHERE uid = ? AND sentOrder IS NOT NULL
                    ORDER BY sentOrder DESC LIMIT -1 OFFSET ?
                ) RETURNING id
                """,
            arguments: [uid, OutboxMessage.sentLimit]
        )
    }
}
