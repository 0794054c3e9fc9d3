import FoundationEssentials
import GRDB

extension Outbox {
    /// The outcome of a claimed item.
    package enum Outcome: Equatable, Sendable {
        /// The backend accepted the item.
        case sent
        /// Delivery was given up, with the reason for people.
        case failed(problem: String)
        /// The item is queued again, for example until the next sign-in, with an optional reason for people.
        case queued(problem: String?)
    }

    /// The result of ``Outbox/finish(_:of:_:)``.
    package struct Finished: Equatable, Sendable {
        /// The item in its new state.
        package let item: OutboxItem
        /// The ids of old sent items that were removed beyond ``Outbox/sentLimit``.
        package let forgotten: [String]
    }

    /// Claims the oldest queued item, which becomes `sending`.
    ///
    /// Returns nil if no item is queued.
    ///
    /// No other caller gets a claimed item. The caller must call ``finish(_:of:_:)``, even after a cancellation.
    /// Otherwise only the next start of the daemon queues the item again.
    package func claim(of uid: UInt32) async throws(StoreError) -> OutboxItem? {
        try await database.write { db in
            try String.fetchOne(
                db,
                sql: "SELECT id FROM outbox WHERE uid = ? AND status = 'queued' ORDER BY position LIMIT 1",
                arguments: [uid]
            ).flatMap { try Self.claim(db, $0, uid) }
        }
    }

    /// Claims one item, or returns nil if it is not queued.
    package func claim(_ id: String, of uid: UInt32) async throws(StoreError) -> OutboxItem? {
        try await database.write { try Self.claim($0, id, uid) }
    }

    /// Counts an attempt to deliver a claimed item; call it before the attempt.
    ///
    /// - Parameters:
    ///   - id: the id of the item.
    ///   - uid: the owner of the item.
    ///   - problem: the reason why the former attempt failed.
    /// - Returns: The item, or nil if it is not `sending`.
    /// - Throws: ``StoreError`` if the file cannot be written.
    @discardableResult
    package func countAttempt(
        _ id: String,
        of uid: UInt32,
        problem: String? = nil
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

    /// Records the outcome of a claimed item.
    ///
    /// Returns nil if the item is not `sending`.
    @discardableResult
    package func finish(_ id: String, of uid: UInt32, _ outcome: Outcome) async throws(StoreError) -> Finished? {
        try await database.write { db in
            let item: OutboxItem? =
                switch outcome {
                case .sent: try Self.release(db, id, uid, .sent)
                case .failed(let problem): try Self.release(db, id, uid, .failed, problem: problem)
                case .queued(let problem): try Self.release(db, id, uid, .queued, problem: problem)
                }
            guard let item else { return nil }
            return Finished(item: item, forgotten: outcome == .sent ? try Self.recordSent(db, id, uid) : [])
        }
    }

    /// Queues a failed item with 0 attempts, and returns it.
    ///
    /// Returns nil if the item has not failed.
    package func retry(_ id: String, of uid: UInt32) async throws(StoreError) -> OutboxItem? {
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

    /// Queues all failed items with 0 attempts, and returns them in no particular order.
    @discardableResult
    package func retryAll(of uid: UInt32) async throws(StoreError) -> [OutboxItem] {
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
        problem: String? = nil
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
            arguments: [uid, sentLimit]
        )
    }
}
