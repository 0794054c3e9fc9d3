package import ViewModelStorage

/// The records of the database, as they are copied from and to other stores.
extension PostgresStorage {
    /// The longest time of a copy.
    private static let copyLimit = Duration.seconds(600)
    /// The bytes after which a statement gets no further record.
    private static let batchBytes = 4 << 20

    package func records() async throws(StoreError) -> StoreRecords {
        try await copying { try Self.records($0) }
    }

    /// Stores records in one transaction.
    ///
    /// The nodes that start later must have the key that the tokens need.
    package func fill(with records: StoreRecords) async throws(StoreError) {
        let label = database.label
        try await copying { transaction in
            guard try Self.records(transaction).isEmpty else {
                let schema = self.database.pool.settings.schema
                throw StoreError.notEmpty(label, "Drop its schema \(schema), or name another database")
            }
            // The copied sessions keep their ages.
            if let latest = records.latestUse { self.database.ages.set(to: latest) }
            let now = self.database.ages.now
            try transaction.queue("UPDATE clock SET time = $1", [.integer(now)])
            for (table, rows) in zip(StoreRecords.tables, records.rows) {
                try Self.insert(rows, into: table.inSnakeCase, at: now, transaction)
            }
            for statement in Self.derived { try transaction.rows(statement) }
            if records.keyIDs.count == 1, let id = records.keyIDs.first {
                try PostgresSchema.replaceKey(with: id, transaction)
            }
        }
    }

    private static func records(_ transaction: Transaction) throws -> StoreRecords {
        try StoreRecords { table in
            let table = table.inSnakeCase
            let columns = table.columns.map { column in
                // The sender of an item is dead.
                column == "status" ? "CASE status WHEN 'sending' THEN 'queued' ELSE status END AS status" : column
            }
            return try transaction.rows("SELECT \(columns.joined(separator: ", ")) FROM \(table.name)").map { row in
                try table.columns.map { try StoreRecords.Value(row, $0) }
            }
        }
    }

    private static func insert(
        _ rows: [[StoreRecords.Value]],
        into table: StoreRecords.Table,
        at now: Int64,
        _ transaction: Transaction
    ) throws {
        let further: [String: [(column: String, value: String)]] = [
            "cache": [("bytes", "0"), ("stored_at", "\(now)")], "outbox": [("created_at", "\(now)")],
        ]
        let columns = (table.columns + (further[table.name] ?? []).map(\.column)).joined(separator: ", ")
        let values = (table.columns.indices.map { "$\($0 + 1)" } + (further[table.name] ?? []).map(\.value))
            .joined(separator: ", ")
        // What is queued is sent when it has some size, so that the copy is not in memory once more.
        var queued = 0
        for row in rows {
            try transaction.queue(
                "INSERT INTO \(table.name) (\(columns)) OVERRIDING SYSTEM VALUE VALUES (\(values))",
                row.map(\.parameter)
            )
            queued += row.reduce(256) { $0 + $1.byteCount }
            if queued > batchBytes {
                _ = try transaction.results()
                queued = 0
            }
        }
    }

    /// The statements for what is derived from the copied rows, and for the next numbers.
    private static let derived = [
        "UPDATE cache SET bytes = octet_length(value) + coalesce(octet_length(etag), 0) + \(CacheEntry.overhead)",
        "UPDATE session s SET bytes = \(PostgresSessions.size)",
        """
        INSERT INTO outbox_total (uid, items, bytes)
        SELECT uid, count(*), sum(octet_length(text)) FROM outbox WHERE status <> 'sent' GROUP BY uid
        """,
        """
        SELECT setval(pg_get_serial_sequence('person', 'uid'), coalesce(max(uid), 2147483647) + 1, false) FROM person
        """,
        "SELECT setval('sent_order', coalesce(max(sent_order), 0) + 1, false) FROM outbox",
        """
        SELECT setval(pg_get_serial_sequence('outbox', 'position'), coalesce(max(position), 0) + 1, false) FROM outbox
        """,
        """
        SELECT setval(pg_get_serial_sequence('session', 'session'), coalesce(max(session), 0) + 1, false) FROM session
        """,
    ]

    private func copying<Value: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws(StoreError) -> Value {
        let label = database.label
        return try await database.withStoreErrors {
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

extension StoreRecords.Value {
    fileprivate init(_ row: SQLRow, _ column: String) throws(StoreError) {
        switch row.type(of: column) {
        case 17: self = try row.optionalBytes(column).map { .bytes($0) } ?? .null
        case 20, 21, 23: self = try row.optionalInteger(column).map { .integer($0) } ?? .null
        default: self = try row.optionalText(column).map { .text($0) } ?? .null
        }
    }

    fileprivate var parameter: SQLValue {
        switch self {
        case .null: .null
        case .integer(let number): .integer(number)
        case .text(let text): .text(text)
        case .bytes(let bytes): .bytes(bytes)
        }
    }

    fileprivate var byteCount: Int {
        switch self {
        case .null, .integer: 8
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        }
    }
}
