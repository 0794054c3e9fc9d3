import Synchronization
import ViewModelStorage

/// The messages to be delivered, in the shared database.
///
/// An item that is being sent names the boot that has claimed it. When the lease of the boot has expired, another node
/// queues the item again.
final class PostgresOutbox: Outbox {
    /// An item of a user.
    private struct Key: Hashable {
        let id: String
        let uid: UInt32
    }

    /// The claims of this boot, by number.
    private struct Claims {
        var last: Int64 = 0
        /// Those whose items are being claimed or delivered.
        var active: Set<Int64> = []
        /// The claims of the items that are being delivered.
        var items: [Key: Int64] = [:]

        /// The claim of an item as the database has it.
        func value(of item: Key) -> SQLValue { .text(items[item].map { "\($0)" } ?? "") }

        mutating func end(_ item: Key) {
            if let claim = items.removeValue(forKey: item) { active.remove(claim) }
        }
    }

    private let database: SharedDatabase
    private let claims = Mutex(Claims())

    init(_ database: SharedDatabase) {
        self.database = database
    }

    /// The number of items that this node is claiming or delivering.
    var activeClaims: Int { claims.withLock { $0.active.count } }

    private static let columns = "uid, id, text, status, attempts, problem"

    func add(_ text: String, id: String?, of uid: UInt32) async throws(StoreError) -> OutboxAddition {
        // Both have their ids before the statements, which may run twice.
        let (wanted, other) = (OutboxMessage(text: text, id: id), OutboxMessage(text: text))
        let bounds = database.bounds
        // OFFSET keeps the planner from going through all positions for the limit.
        let known = """
            SELECT \(Self.columns), is_repeated FROM (
                SELECT *, created_at > $4 - $5::bigint AS is_repeated FROM outbox
                WHERE uid = $1 AND id IN ($2, $3) OFFSET 0
            ) AS known ORDER BY position DESC LIMIT 1
            """
        let values: [SQLValue] = [
            .number(uid), .text(wanted.id), .text(other.id), database.age,
            .integer(Self.repetitionTime.microseconds),
        ]
        return try await database.change(
            .outbox,
            // The lock precedes the look for the id, which another node may be adding.
            (
                """
                INSERT INTO outbox_total AS t (uid, items, bytes) VALUES ($1, 0, 0)
                ON CONFLICT (uid) DO UPDATE SET items = t.items RETURNING items, bytes
                """,
                [.number(uid)]
            ),
            Self.raising(
                """
                INSERT INTO outbox (id, uid, text, status, created_at)
                SELECT CASE WHEN known.id IS NULL THEN $2 ELSE $3 END, $1, $6, 'queued', $4
                FROM outbox_total t LEFT JOIN (\(known)) known ON TRUE
                WHERE t.uid = $1 AND known.is_repeated IS NOT TRUE
                AND t.items < $7 AND t.bytes <= $8 - octet_length($6)
                RETURNING \(Self.columns), octet_length(text) AS size
                """,
                also: Self.counting("+"),
                values + [.bytes(of: text), .number(bounds.outboxItems), .number(bounds.outboxBytes)]
            ),
            (known, values)
        ) { results in
            if let added = results[1].first { return .success(try OutboxMessage(added)) }
            if let known = results[2].first, try known.truth("is_repeated") {
                return .success(try OutboxMessage(known))
            }
            guard let total = results[0].first else { throw StoreError.unexpectedColumn("items") }
            let refusal = bounds.refusal(
                of: text,
                beside: try total.integer("items"),
                bytes: try total.integer("bytes")
            )
            guard let refusal else { throw StoreError.unexpectedColumn("id") }
            return .failure(refusal)
        }
    }

    func size(of uid: UInt32) async throws(StoreError) -> (items: Int, bytes: Int) {
        let row = try await database.pool.rows(
            """
            SELECT coalesce(t.items, 0) + s.items AS items, coalesce(t.bytes, 0) + s.bytes AS bytes FROM (
                SELECT count(*) AS items, coalesce(sum(octet_length(text)), 0)::bigint AS bytes FROM outbox
                WHERE uid = $1 AND status = 'sent'
            ) s LEFT JOIN outbox_total t ON t.uid = $1
            """,
            [.number(uid)]
        ).first
        return (try row?.integer("items") ?? 0, try row?.integer("bytes") ?? 0)
    }

    func items(of uid: UInt32) async throws(StoreError) -> [OutboxMessage] {
        try await database.rows(
            StorageChange(.outbox, of: Int64(uid)),
            "SELECT \(Self.columns) FROM outbox WHERE uid = $1 ORDER BY position",
            [.number(uid)]
        ).map { row throws(StoreError) in try OutboxMessage(row) }
    }

    func remove(_ id: String, of uid: UInt32) async throws(StoreError) -> Bool {
        guard Self.isText(id) else { return false }
        return try await database.change(
            .outbox,
            Self.lock(uid),
            Self.raising(
                """
                DELETE FROM outbox WHERE id = $1 AND uid = $2 AND status <> 'sending'
                RETURNING uid, status, octet_length(text) AS size
                """,
                also: Self.counting("-", "changed.status <> 'sent'"),
                [.text(id), .number(uid)]
            ),
            ("SELECT FROM outbox WHERE id = $1 AND uid = $2", [.text(id), .number(uid)])
        ) { !$0[2].isEmpty }
    }

    /// Returns a statement that changes items (`StorageChange.raising`).
    private static func raising(_ change: String, also further: String = "", _ values: [SQLValue]) -> SQLStatement {
        (StorageChange.raising(change, .outbox, also: further), values)
    }

    /// The query that adds changed rows to the unsent items of their user, or subtracts them.
    fileprivate static func counting(_ sign: String, _ condition: String = "TRUE") -> String {
        """
        , counted AS (
            UPDATE outbox_total t SET items = items \(sign) 1, bytes = bytes \(sign) changed.size FROM changed
            WHERE t.uid = changed.uid AND \(condition)
        )
        """
    }

    /// Whether the database accepts a text, and so may have an item with this id.
    fileprivate static func isText(_ id: String) -> Bool { !id.utf8.contains(0) }

    /// The statement that makes changes of a user's outbox follow each other, also those of other nodes.
    private static func lock(_ uid: UInt32) -> SQLStatement {
        ("SELECT FROM outbox_total WHERE uid = $1 FOR UPDATE", [.number(uid)])
    }
}

extension PostgresOutbox {
    func claim(_ id: String?, of uid: UInt32) async throws(StoreError) -> OutboxMessage? {
        guard id.map(Self.isText) ?? true else { return nil }
        let query =
            id == nil
            ? "uid = $1 AND status = 'queued' ORDER BY position LIMIT 1 FOR UPDATE SKIP LOCKED"
            : "id = $4 AND uid = $1 AND status = 'queued' FOR UPDATE"
        // A repetition after a lost answer finds the item under this number.
        let claim = claims.withLock { claims in
            claims.last += 1
            claims.active.insert(claims.last)
            return claims.last
        }
        var item: OutboxMessage?
        defer {
            claims.withLock { claims in
                guard let item else { return _ = claims.active.remove(claim) }
                let key = Key(id: item.id, uid: uid)
                claims.end(key)
                claims.items[key] = claim
            }
        }
        item = try await database.change(
            .outbox,
            Self.lock(uid),
            Self.raising(
                """
                UPDATE outbox SET status = 'sending', boot = $2, claim = $3 WHERE position = coalesce(
                    (SELECT position FROM outbox WHERE uid = $1 AND boot = $2 AND claim = $3),
                    (SELECT position FROM outbox WHERE \(query))
                ) RETURNING \(Self.columns)
                """,
                [.number(uid), .text(database.boot), .text("\(claim)")] + (id.map { [.text($0)] } ?? [])
            )
        ) { try Self.item($0[1]) }
        return item
    }

    func countAttempt(_ id: String, of uid: UInt32, problem: String?) async throws(StoreError) -> OutboxMessage? {
        let key = Key(id: id, uid: uid)
        let claim = claims.withLock { $0.value(of: key) }
        let item = try await database.change(
            .outbox,
            Self.raising(
                """
                UPDATE outbox SET attempts = least(attempts, 999999999) + 1, problem = $4
                WHERE id = $1 AND uid = $2 AND status = 'sending' AND boot = $3 AND claim = $5
                RETURNING \(Self.columns)
                """,
                [.text(id), .number(uid), .text(database.boot), .bytes(of: problem), claim]
            )
        ) { try Self.item($0[0]) }
        if item == nil { claims.withLock { $0.end(key) } }
        return item
    }

    func finish(_ id: String, of uid: UInt32, _ outcome: OutboxOutcome) async throws(StoreError) -> FinishedMessage? {
        let (status, problem) = outcome.state
        let key = Key(id: id, uid: uid)
        let claim = claims.withLock { $0.value(of: key) }
        let finished: FinishedMessage? = try await database.change(
            .outbox,
            Self.lock(uid),
            Self.raising(
                """
                UPDATE outbox SET status = $4, problem = $5, boot = NULL, claim = NULL,
                    sent_order = CASE WHEN $4 = 'sent' THEN nextval('sent_order') END
                WHERE id = $1 AND uid = $2 AND status = 'sending' AND boot = $3 AND claim = $6
                RETURNING \(Self.columns), octet_length(text) AS size
                """,
                also: Self.counting("-", "changed.status = 'sent'"),
                [.text(id), .number(uid), .text(database.boot), .text(status.rawValue), .bytes(of: problem), claim]
            ),
            (
                """
                DELETE FROM outbox WHERE position IN (
                    SELECT position FROM outbox WHERE uid = $1 AND sent_order IS NOT NULL
                    ORDER BY sent_order DESC OFFSET $2
                ) RETURNING id
                """,
                [.number(uid), .number(OutboxMessage.sentLimit)]
            )
        ) { results in
            try Self.item(results[1]).map { ($0, try results[2].map { try $0.text("id") }) }
        }
        claims.withLock { $0.end(key) }
        return finished
    }

    func retry(_ id: String?, of uid: UInt32) async throws(StoreError) -> [OutboxMessage] {
        guard id.map(Self.isText) ?? true else { return [] }
        return try await database.change(
            .outbox,
            Self.raising(
                """
                UPDATE outbox SET status = 'queued', attempts = 0, problem = NULL
                WHERE uid = $1 \(id == nil ? "" : "AND id = $2") AND status = 'failed' RETURNING \(Self.columns)
                """,
                [.number(uid)] + (id.map { [.text($0)] } ?? [])
            )
        ) { try $0[0].map { try OutboxMessage($0) } }
    }

    private static func item(_ rows: [SQLRow]) throws -> OutboxMessage? { try rows.first.map { try OutboxMessage($0) } }

    /// Queues the items that boots without a lease have claimed, and those of claims that this node has given up.
    ///
    /// The database may have committed a claim whose caller got an error.
    func queueAbandoned() async throws(StoreError) {
        let (last, active) = claims.withLock { ($0.last, $0.active.map { "\($0)" }) }
        try await database.change(
            .outbox,
            isReported: true,
            Self.raising(
                """
                UPDATE outbox o SET status = 'queued', boot = NULL, claim = NULL WHERE boot IS NOT NULL AND (
                    CASE WHEN boot = $1 THEN claim::numeric <= $2 AND claim <> ALL ($3) ELSE FALSE END
                    OR NOT EXISTS (SELECT FROM node n WHERE n.boot = o.boot AND \(NodeLease.holds))
                ) RETURNING uid
                """,
                [.text(database.boot), .integer(last), .texts(active)]
            )
        )
    }
}

extension OutboxMessage {
    init(_ row: SQLRow) throws(StoreError) {
        guard let status = Status(rawValue: try row.text("status")) else { throw .unexpectedColumn("status") }
        self.init(
            id: try row.text("id"),
            text: String(decoding: try row.bytes("text"), as: UTF8.self),
            status: status,
            attempts: try row.integer("attempts"),
            problem: try row.optionalBytes("problem").map { String(decoding: $0, as: UTF8.self) }
        )
    }
}
