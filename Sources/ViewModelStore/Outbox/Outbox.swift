import FoundationEssentials
import GRDB
import Synchronization

/// What is to be delivered for a user, safe from the moment that adding it returns.
///
/// Items belong to a user, not to a session. An item goes `queued` → `sending` → `sent`, `failed` or back to `queued`, and
/// `failed` → `queued`; whoever claims an item has it alone. Of the sent ones the 200 that were sent last are kept, and of the
/// others there are so many, with so many bytes of text, as ``limit(toItems:bytes:)`` says. What an operation costs does not
/// grow with the items that it leaves alone.
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

    /// What became of an addition.
    public enum Addition: Equatable, Sendable {
        /// The item is on disk.
        case added(OutboxItem)
        /// The user has so many items that are not sent.
        case tooManyItems(limit: Int)
        /// The texts of the user's items that are not sent would have more bytes than that.
        case tooManyBytes(limit: Int)
    }

    private struct Bounds {
        var items: Int
        var bytes: Int
    }

    private let bounds: Mutex<Bounds>
    let database: DatabaseFile
    private let clock: @Sendable () -> Date

    init(database: DatabaseFile, items: Int, bytes: Int, clock: @escaping @Sendable () -> Date) {
        self.database = database
        bounds = Mutex(Bounds(items: items, bytes: bytes))
        self.clock = clock
    }

    /// Takes other bounds for each user's items that are not sent; they hold for additions from now on.
    public func limit(toItems items: Int, bytes: Int) {
        bounds.withLock { $0 = Bounds(items: items, bytes: bytes) }
    }

    /// Adds an item at the end of the queue; nil where the user's outbox is full.
    public func add(_ text: String, of uid: UInt32) async throws(StoreError) -> OutboxItem? {
        guard case .added(let item) = try await addition(of: text, of: uid) else { return nil }
        return item
    }

    /// Adds an item at the end of the queue, or says which bound is in its way.
    public func addition(of text: String, of uid: UInt32) async throws(StoreError) -> Addition {
        let item = OutboxItem(id: Self.randomID(), text: text, status: .queued, attempts: 0, problem: nil)
        let now = clock().microseconds
        let bounds = bounds.withLock { $0 }
        return try await database.write { db in
            let total = try Row.fetchOne(
                db,
                sql: "SELECT items, bytes FROM outboxTotal WHERE uid = ?",
                arguments: [uid]
            )
            let items: Int = try total?.value("items") ?? 0
            if items >= bounds.items { return .tooManyItems(limit: bounds.items) }
            let bytes = Int64(text.utf8.count).clamped(plus: try total?.value("bytes") ?? 0)
            if bytes > bounds.bytes { return .tooManyBytes(limit: bounds.bytes) }
            try db.execute(
                sql: "INSERT INTO outbox (id, uid, text, status, createdAt) VALUES (?, ?, ?, ?, ?)",
                arguments: [item.id, uid, text.blob, item.status.rawValue, now]
            )
            return .added(item)
        }
    }

    /// The number and the bytes of all items that a user has, the sent ones included.
    public func size(of uid: UInt32) async throws(StoreError) -> (items: Int, bytes: Int) {
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

    /// Removes an item, unless it is being sent.
    public func remove(_ id: String, of uid: UInt32) async throws(StoreError) -> Removal {
        try await database.write { db in
            switch try Self.item(db, id, uid)?.status {
            case nil: return .unknown
            case .sending: return .sending
            default:
                try db.execute(sql: "DELETE FROM outbox WHERE id = ? AND uid = ?", arguments: [id, uid])
                return .removed
            }
        }
    }

    /// One item, or nil where the user has no such one.
    public func item(_ id: String, of uid: UInt32) async throws(StoreError) -> OutboxItem? {
        try await database.read { try Self.item($0, id, uid) }
    }

    /// All items of a user, the oldest first.
    public func items(of uid: UInt32) async throws(StoreError) -> [OutboxItem] {
        try await database.read { try Self.items($0, uid) }
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
