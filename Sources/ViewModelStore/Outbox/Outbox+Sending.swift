import FoundationEssentials
import GRDB

extension Outbox {
    /// What became of a claimed item.
    public enum Outcome: Equatable, Sendable {
        /// The backend took it.
        case sent
        /// It was given up, for a reason in words.
        case failed(problem: String)
        /// It waits again, as for a new sign-in; with a reason in words, if there is one.
        case queued(problem: String?)
    }

    /// A claimed item as it was given back.
    public struct Finished: Equatable, Sendable {
        /// The item as it is now.
        public let item: OutboxItem
        /// The ids of items that were sent long ago, and are kept no more.
        public let forgotten: [String]
    }

    /// Claims the oldest queued item: it is `sending` now, and nobody else's; nil where nothing is queued.
    ///
    /// Whoever claims an item owes it a `finish`, also when cancelled. Only a restart of the daemon queues it otherwise.
    public func claim(of uid: UInt32) async throws(StoreError) -> OutboxItem? {
        try await database.write { db in
            try String.fetchOne(
                db,
                sql: "SELECT id FROM outbox WHERE uid = ? AND status = 'queued' ORDER BY position LIMIT 1",
                arguments: [uid]
            ).flatMap { try Self.claim(db, $0, uid) }
        }
    }

    /// Claims one item; nil where it is not queued.
    public func claim(_ id: String, of uid: UInt32) async throws(StoreError) -> OutboxItem? {
        try await database.write { try Self.claim($0, id, uid) }
    }

    /// Counts an attempt to deliver a claimed item, before it is made; gives the item, nil where it is not being sent.
    ///
    /// - Parameter problem: what stood in the way of the attempt before.
    @discardableResult
    public func countAttempt(
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

    /// Tells what became of a claimed item; nil where it was not being sent.
    @discardableResult
    public func finish(_ id: String, of uid: UInt32, _ outcome: Outcome) async throws(StoreError) -> Finished? {
        try await database.write { db in
            let item: OutboxItem? =
                switch outcome {
                case .sent: try Self.release(db, id, uid, .sent)
                case .failed(let problem): try Self.release(db, id, uid, .failed, problem: problem)
                case .queued(let problem): try Self.release(db, id, uid, .queued, problem: problem)
                }
            guard let item else { return nil }
            return Finished(item: item, forgotten: outcome == .sent ? try Self.noteSent(db, id, uid) : [])
        }
    }

    /// Queues a failed item again, with no attempts counted; gives the item, nil where it is not a failed one.
    public func retry(_ id: String, of uid: UInt32) async throws(StoreError) -> OutboxItem? {
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

    /// Queues all failed items again, with no attempts counted; gives them, in no order.
    @discardableResult
    public func retryAll(of uid: UInt32) async throws(StoreError) -> [OutboxItem] {
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

    /// Queues what was being sent when the last daemon died.
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

    /// - Returns: the ids of those that are kept no more.
    private static func noteSent(_ db: Database, _ id: String, _ uid: UInt32) throws -> [String] {
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
