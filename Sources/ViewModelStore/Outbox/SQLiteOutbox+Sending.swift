import FoundationEssentials
import GRDB
import ViewModelStorage

/// The delivery of items.
extension SQLiteOutbox {
    func claim(of uid: UInt32) async throws(StoreError) -> OutboxItem? {
        try await database.write { db in
            try String.fetchOne(
                db,
                sql: "SELECT id FROM outbox WHERE uid = ? AND status = 'queued' ORDER BY position LIMIT 1",
                arguments: [uid]
            ).flatMap { try Self.claim(db, $0, uid) }
        }
    }

    func claim(_ id: String, of uid: UInt32) async throws(StoreError) -> OutboxItem? {
        try await database.write { try Self.claim($0, id, uid) }
    }

    func countAttempt(
        _ id: String,
        of uid: UInt32,
        problem: String?
    ) async throws(StoreError) -> OutboxItem? {
        try await database.write { db in
            try db.execute(
                sql: """
                    UPDATE outbox SET attempts = min(attempts, 999999999) + 1, problem = ?
                    WHERE id = ? AND uid = ? AND status = 'sending'
                    """,
                arguments: [problem?.blob, id, uid]
            )
            return db.changesCount == 1 ? try Self.item(db, id, uid) : nil
        }
    }

    func finish(_ id: String, of uid: UInt32, _ outcome: OutboxOutcome) async throws(StoreError) -> FinishedOutboxItem?
    {
        try await database.write { db in
            let (status, problem) = outcome.state
            let item = try Self.release(db, id, uid, status, problem: problem)
            guard let item else { return nil }
            return FinishedOutboxItem(item: item, forgotten: outcome == .sent ? try Self.recordSent(db, id, uid) : [])
        }
    }

    func retry(_ id: String, of uid: UInt32) async throws(StoreError) -> OutboxItem? {
        try await database.write { db in
            try db.execute(
                sql: """
                    UPDATE outbox SET status = 'queued', attempts = 0, problem = NULL
                    WHERE id = ? AND uid = ? AND status = 'failed'
                    """,
                arguments: [id, uid]
            )
            return db.changesCount == 1 ? try Self.item(db, id, uid) : nil
        }
    }

    func retryAll(of uid: UInt32) async throws(StoreError) -> [OutboxItem] {
        try await database.write { db in
            try Row.fetchAll(
                db,
                sql: """
                    UPDATE outbox SET status = 'queued', attempts = 0, problem = NULL
                    WHERE uid = ? AND status = 'failed' RETURNING id, text, status, attempts, problem
                    """,
                arguments: [uid]
            ).map { try OutboxItem($0) }
        }
    }

    /// Queues the items that were `sending` when the former daemon died.
    static func recover(_ db: Database) throws {
        try db.execute(sql: "UPDATE outbox SET status = 'queued' WHERE status = 'sending'")
    }

    private static func claim(_ db: Database, _ id: String, _ uid: UInt32) throws -> OutboxItem? {
        try db.execute(
            sql: "UPDATE outbox SET status = 'sending' WHERE id = ? AND uid = ? AND status = 'queued'",
            arguments: [id, uid]
        )
        return db.changesCount == 1 ? try item(db, id, uid) : nil
    }

    private static func release(
        _ db: Database,
        _ id: String,
        _ uid: UInt32,
        _ status: OutboxItem.Status,
        problem: String?
    ) throws -> OutboxItem? {
        try db.execute(
            sql: "UPDATE outbox SET status = ?, problem = ? WHERE id = ? AND uid = ? AND status = 'sending'",
            arguments: [status.rawValue, problem?.blob, id, uid]
        )
        return db.changesCount == 1 ? try item(db, id, uid) : nil
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
            arguments: [uid, OutboxItem.sentLimit]
        )
    }
}
