import FoundationEssentials
import GRDB
import Synchronization

/// The messages to be delivered for users.
///
/// An item is durable when its addition returns.
///
/// Items belong to a user, not to a session. An item's status changes from `queued` to `sending`, then to `sent`,
/// `failed` or back to `queued`. A `failed` item can become `queued` again. Only one caller can claim an item.
///
/// The last 200 sent items of a user are kept. ``limit(toItems:bytes:)`` bounds the number and the bytes of the others.
/// The cost of an operation does not grow with the number of items that it leaves alone.
///
/// Isolation: used from anywhere; operations are serialized.
package final class Outbox: Sendable {
    /// The number of a user's sent items that are kept.
    package static let sentLimit = 200

    /// The outcome of a removal.
    package enum Removal: Sendable {
        /// The item is removed.
        case removed
        /// The user has no item of this id.
        case unknown
        /// The item is being sent and stays.
        case sending
    }

    /// The outcome of an addition.
    package enum Addition: Equatable, Sendable {
        /// The item is on disk.
        case added(OutboxItem)
        /// The user already has `limit` unsent items.
        case tooManyItems(limit: Int)
        /// The texts of the user's unsent items would have more than `limit` bytes.
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

    /// Changes the bounds of each user's unsent items.
    ///
    /// They apply to later additions.
    package func limit(toItems items: Int, bytes: Int) {
        bounds.withLock { $0 = Bounds(items: items, bytes: bytes) }
    }

    /// Appends an item to the queue, or returns the bound that it exceeds.
    @discardableResult
    package func add(_ text: String, of uid: UInt32) async throws(StoreError) -> Addition {
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

    /// Returns the number and the text bytes of all items of a user, sent ones included.
    package func size(of uid: UInt32) async throws(StoreError) -> (items: Int, bytes: Int) {
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

    /// Removes an item unless it is being sent.
    package func remove(_ id: String, of uid: UInt32) async throws(StoreError) -> Removal {
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

    /// Returns all items of a user, oldest first.
    package func items(of uid: UInt32) async throws(StoreError) -> [OutboxItem] {
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

    /// Returns 128 bits of the system's random number generator in hexadecimal.
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

/// A message to be delivered once.
package struct OutboxItem: Identifiable, Equatable, Sendable {
    /// The state of the delivery.
    package enum Status: String, Codable, CaseIterable, Sendable {
        /// The item waits for a sender.
        case queued
        /// A sender has claimed the item.
        case sending
        /// The backend accepted the item.
        case sent
        /// The delivery was given up. The item can be queued again.
        case failed
    }

    /// The id for the backend (`Idempotency-Key`) and for clients: 32 hexadecimal digits that cannot be guessed.
    package let id: String
    /// The text of the message.
    package let text: String
    /// The state of the delivery.
    package let status: Status
    /// The number of attempts since a person queued the item.
    package let attempts: Int
    /// The reason why the last attempt failed, for people.
    package let problem: String?
}
