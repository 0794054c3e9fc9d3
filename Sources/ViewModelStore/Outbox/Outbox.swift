import FoundationEssentials
import GRDB

/// What is to be delivered for a user, safe from the moment that adding it returns.
///
/// Items belong to a user, not to a session. An item goes `queued` → `sending` → `sent`, `failed` or back to `queued`, and
/// `failed` → `queued`; whoever claims an item has it alone. Of the sent ones the 200 that were sent last are kept, and of the
/// others there are ``unsentLimit`` at most. What an operation costs does not grow with the items that it leaves alone.
///
/// Isolation: used from anywhere; what two do at the same time is done one after the other.
public final class Outbox: Sendable {
    /// How many of a user's sent items are kept.
    public static let sentLimit = 200

    /// What became of a removal.
    public enum Removal: Sendable {
        /// It is gone.
        case removed
        /// There is no such item of this user.
        case unknown
        /// It is being sent; it stays.
        case sending
    }

    /// How many items of a user there can be that are not sent.
    public let unsentLimit: Int
    let database: DatabaseFile
    let changes = Broadcast<UInt32, Void>()
    private let clock: @Sendable () -> Date

    init(database: DatabaseFile, unsentLimit: Int, clock: @escaping @Sendable () -> Date) {
        self.database = database
        self.unsentLimit = unsentLimit
        self.clock = clock
    }

    /// Adds an item at the end of the queue; nil where the user has ``unsentLimit`` items that are not sent.
    public func add(_ text: String, of uid: UInt32) async throws(StoreError) -> OutboxItem? {
        let item = OutboxItem(id: Self.randomID(), text: text, status: .queued, attempts: 0, problem: nil)
        let now = clock().microseconds
        let limit = unsentLimit
        let isAdded = try await database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO outbox (id, uid, text, status, createdAt) SELECT ?, ?, ?, ?, ?
                    WHERE (SELECT count(*) FROM outbox WHERE uid = ? AND status <> 'sent') < ?
                    """,
                arguments: [item.id, uid, text.blob, item.status.rawValue, now, uid, limit]
            )
            return db.changesCount == 1
        }
        guard isAdded else { return nil }
        changes.send((), on: uid)
        return item
    }

    /// Removes an item, unless it is being sent.
    public func remove(_ id: String, of uid: UInt32) async throws(StoreError) -> Removal {
        let removal: Removal = try await database.write { db in
            switch try Self.item(db, id, uid)?.status {
            case nil: return .unknown
            case .sending: return .sending
            default:
                try db.execute(sql: "DELETE FROM outbox WHERE id = ? AND uid = ?", arguments: [id, uid])
                return .removed
            }
        }
        if removal == .removed { changes.send((), on: uid) }
        return removal
    }

    /// One item, or nil where the user has no such one.
    public func item(_ id: String, of uid: UInt32) async throws(StoreError) -> OutboxItem? {
        try await database.read { try Self.item($0, id, uid) }
    }

    /// All items of a user, the oldest first.
    public func items(of uid: UInt32) async throws(StoreError) -> [OutboxItem] {
        try await database.read { try Self.items($0, uid) }
    }

    /// All items of a user now, then whenever they have changed, in whatever session.
    public func lists(of uid: UInt32) -> Readings<[OutboxItem]> {
        Readings(changes: changes, uid: uid) { () async throws(StoreError) in try await self.items(of: uid) }
    }

    static func items(_ db: Database, _ uid: UInt32) throws -> [OutboxItem] {
        try Row.fetchAll(
            db,
            sql: "SELECT id, text, status, attempts, problem FROM outbox WHERE uid = ? ORDER BY position",
            arguments: [uid]
        ).map { try OutboxItem($0) }
    }

    static func item(_ db: Database, _ id: String, _ uid: UInt32) throws -> OutboxItem? {
        try Row.fetchOne(
            db,
            sql: "SELECT id, text, status, attempts, problem FROM outbox WHERE id = ? AND uid = ?",
            arguments: [id, uid]
        ).map { try OutboxItem($0) }
    }

    /// 128 bits of the system's randomness.
    private static func randomID() -> String {
        (0..<4).map { _ in
            let digits = String(UInt32.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }
}

extension OutboxItem {
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
