import FoundationEssentials
import ViewModelHost
package import ViewModelStorage

/// The records of the database, as they are copied from and to other stores.
extension PostgresStorage {
    /// The longest time of a copy.
    private static let copyLimit = Duration.seconds(600)
    /// The bytes after which a statement gets no further record.
    private static let batchBytes = 4 << 20

    /// Returns all records, of one moment.
    ///
    /// - Throws: `StoreError.Kind.locked` if a daemon uses the database.
    package func records() async throws(StoreError) -> StoreRecords {
        try await copying { try StoreRecords($0).normalized() }
    }

    /// Stores records in one transaction.
    ///
    /// The nodes that start later must have the key that the tokens need.
    ///
    /// - Throws: `StoreError.Kind.notEmpty` if the database has records; `StoreError.Kind.locked` if a daemon uses it.
    package func fill(with records: StoreRecords) async throws(StoreError) {
        let label = database.label
        try await copying { transaction in
            guard try StoreRecords(transaction).isEmpty else {
                let schema = self.database.pool.settings.schema
                throw StoreError.notEmpty(label, "Drop its schema \(schema), or name another database")
            }
            // The copied sessions keep their ages.
            if let latest = records.sessions.map(\.usedAt).max() { self.database.ages.set(to: latest) }
            let now = self.database.age
            try transaction.queue("UPDATE clock SET time = $1", [now])
            try records.insert(with: transaction, at: now, batchBytes: Self.batchBytes)
            if records.keys.count == 1, let key = records.keys.first {
                try PostgresSchema.replaceKey(with: key.id, transaction)
            }
        }
    }

    private func copying<Value: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws(StoreError) -> Value {
        let label = database.label
        return try await database.withTypedStoreErrors {
            try await database.pool.transaction(limit: Self.copyLimit) { transaction in
                let limit = "\(Self.copyLimit.components.seconds)s"
                let nodes = try Self.nodes(transaction, limit)
                guard nodes.isEmpty else {
                    throw StoreError(
                        .locked,
                        label,
                        "is in use by \(nodes.joined(separator: ", ")). Stop the daemons there first"
                    )
                }
                return try body(transaction)
            }
        }
    }

    /// Raises the time limits of the transaction, and returns the names of the nodes with a lease.
    ///
    /// Until the end of the transaction no daemon starts, and no other copy begins.
    private static func nodes(_ transaction: Transaction, _ limit: String) throws -> [String] {
        for setting in ["statement_timeout", "idle_in_transaction_session_timeout"] {
            try transaction.queue("SELECT set_config($1, $2, true)", [.text(setting), .text(limit)])
        }
        try transaction.queue("LOCK TABLE node IN SHARE ROW EXCLUSIVE MODE")
        return try transaction.rows("SELECT name FROM node WHERE lease_until > clock_timestamp() ORDER BY name")
            .map { try $0.text("name") }
    }
}

extension StoreRecords {
    fileprivate init(_ transaction: Transaction) throws {
        self.init()
        accounts = try transaction.rows(
            "SELECT name, nickname, balance, coupons, parameters, salt, hash FROM account"
        ).map { row in
            try LocalAccount(row, named: String(decoding: try row.bytes("name"), as: UTF8.self))
        }
        tokens = try PostgresVault.rows(transaction)
        keys = try PostgresVault.keys(transaction)
        pages = try transaction.rows("SELECT uid, value, etag, fetched_at FROM cache").map { row in
            Page(
                uid: try row.integer("uid"),
                value: try row.bytes("value"),
                etag: try row.optionalBytes("etag").map { String(decoding: $0, as: UTF8.self) },
                fetchedAt: try row.integer("fetched_at")
            )
        }
        items = try transaction.rows(
            "SELECT uid, id, text, status, attempts, problem, sent_order FROM outbox ORDER BY position"
        ).map { row in
            Item(
                uid: try row.integer("uid"),
                item: try OutboxItem(row),
                sentOrder: try row.optionalInteger("sent_order")
            )
        }
        try readSessions(transaction)
        for row in try transaction.rows("SELECT uid, owner, name, text FROM lasting_value") {
            guard let area = ValueArea(number: try row.integer("uid")) else {
                throw PostgresError.unexpectedColumn("uid")
            }
            values[area, default: [:]][try SavedValue.Key(row)] = try row.bytes("text")
        }
    }

    private mutating func readSessions(_ transaction: Transaction) throws {
        var saved: [Int64: SavedSession] = [:]
        let instances = try transaction.rows(
            "SELECT session, id, type, arguments FROM session_instance ORDER BY session, position"
        )
        for row in instances {
            saved[try row.integer("session"), default: SavedSession()].instances.append(try SavedInstance(row))
        }
        for row in try transaction.rows("SELECT session, owner, name, text FROM session_value") {
            let key = try SavedValue.Key(row)
            saved[try row.integer("session"), default: SavedSession()].values[key] = try row.bytes("text")
        }
        sessions = try transaction.rows("SELECT session, uid, name, used_at FROM session").map { row in
            Session(
                key: SessionKey(uid: try row.integer("uid"), name: try row.text("name")),
                usedAt: try row.integer("used_at"),
                saved: saved[try row.integer("session")] ?? SavedSession()
            )
        }
    }
}

extension StoreRecords {
    fileprivate func insert(with transaction: Transaction, at now: SQLValue, batchBytes: Int) throws {
        // What is queued is sent when it has some size, so that the copy is not in memory once more.
        var queued = 0
        func queue(_ bytes: Int, _ sql: String, _ values: [SQLValue]) throws {
            try transaction.queue(sql, values)
            queued += bytes + 256
            if queued > batchBytes {
                _ = try transaction.results()
                queued = 0
            }
        }
        for account in accounts { try queue(0, PostgresAccounts.insertion, PostgresAccounts.values(account)) }
        for key in keys { try PostgresVault.record(key, transaction) }
        for row in tokens { try queue(row.token.sealed.count, PostgresVault.storing, PostgresVault.values(row)) }
        for page in pages {
            try queue(
                page.value.count,
                """
                INSERT INTO cache (uid, value, etag, fetched_at, bytes, stored_at) VALUES ($1, $2, $3, $4, $5, $6)
                """,
                [
                    .number(page.uid), .bytes(page.value), .bytes(of: page.etag), .integer(page.fetchedAt),
                    .number(CacheEntry.bytes(value: page.value, etag: page.etag)), now,
                ]
            )
        }
        for item in items {
            try queue(
                item.item.text.utf8.count,
                """
                INSERT INTO outbox (uid, id, text, status, attempts, problem, sent_order, created_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                """,
                [
                    .number(item.uid), .text(item.item.id), .bytes(of: item.item.text),
                    .text(item.item.status.rawValue), .number(item.item.attempts), .bytes(of: item.item.problem),
                    item.sentOrder.map { .integer($0) } ?? .nullInteger, now,
                ]
            )
        }
        for session in sessions { try PostgresSessions.insert(session, transaction) }
        for (area, values) in values {
            let list = values.map { SavedValue(key: $0.key, text: $0.value) }
            try transaction.queue(
                list.statements(in: "lasting_value", "uid", "$1::bigint", [.integer(area.number)])
            )
        }
        try transaction.queue("UPDATE session s SET bytes = \(PostgresSessions.size)")
        // What is derived from the items, and the number of the next one that is sent.
        try transaction.queue(
            """
            INSERT INTO outbox_total (uid, items, bytes)
            SELECT uid, count(*), sum(octet_length(text)) FROM outbox WHERE status <> 'sent' GROUP BY uid
            """
        )
        try transaction.change("SELECT setval('sent_order', coalesce(max(sent_order), 0) + 1, false) FROM outbox")
    }
}
