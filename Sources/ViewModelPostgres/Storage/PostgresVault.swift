import FoundationEssentials
import ViewModelStorage

/// The rows of the vault, in the shared database.
///
/// A removed token is out of reach at once. PostgreSQL overwrites its former versions in its own time; they are encrypted.
struct PostgresVault: VaultRecords {
    let database: SharedDatabase

    var label: String { database.label }

    private static let keys = """
        SELECT DISTINCT v.key_id, k.origin FROM vault v LEFT JOIN vault_key k ON k.key_id = v.key_id ORDER BY v.key_id
        """

    func keys() async throws(StoreError) -> [VaultKeyRecord] {
        try Self.records(await database.pool.rows(Self.keys))
    }

    private static func keys(_ transaction: Transaction) throws -> [VaultKeyRecord] {
        try records(transaction.rows(keys))
    }

    private static func rows(_ transaction: Transaction) throws -> [VaultRow] {
        try transaction.rows("SELECT uid, provider, key_id, sealed FROM vault").map { row in
            VaultRow(uid: try row.integer("uid"), provider: try row.text("provider"), token: try SealedToken(row))
        }
    }

    private static func records(_ rows: [SQLRow]) throws(StoreError) -> [VaultKeyRecord] {
        try rows.map { row throws(StoreError) in
            let origin = try row.optionalText("origin").flatMap(VaultKeySource.Origin.init)
            return VaultKeyRecord(id: try row.text("key_id"), origin: origin)
        }.sorted { $0.id < $1.id }
    }

    func token(of uid: UInt32, provider: String) async throws(StoreError) -> SealedToken? {
        try await database.rows(
            StorageChange(.account, of: Int64(uid)),
            "SELECT key_id, sealed FROM vault WHERE uid = $1 AND provider = $2",
            [.number(uid), .text(provider)]
        ).first.map { row throws(StoreError) in try SealedToken(row) }
    }

    func store(
        of uid: UInt32,
        provider: String,
        origin: VaultKeySource.Origin,
        _ seal: @escaping @Sendable ([VaultKeyRecord]) throws(StoreError) -> SealedToken
    ) async throws(StoreError) {
        let subject = StorageChange(.account, of: Int64(uid))
        let raised = try await write { transaction in
            // A rotation on another node waits for this row.
            try transaction.queue("SELECT FROM store FOR SHARE")
            let token = try seal(Self.keys(transaction))
            try Self.record(VaultKeyRecord(id: token.keyID, origin: origin), transaction)
            try transaction.queue(
                """
                INSERT INTO vault (uid, provider, key_id, sealed) VALUES ($1, $2, $3, $4)
                ON CONFLICT (uid, provider) DO UPDATE SET key_id = excluded.key_id, sealed = excluded.sealed
                """,
                [.number(uid), .text(provider), .text(token.keyID), .bytes(Array(token.sealed))]
            )
            let (sql, values) = subject.raising
            return try transaction.rows(sql, values)
        }
        // A sign-in stores the page next. The other nodes then read both at once.
        try database.feed.changed(raised, subject.topic, within: .milliseconds(500))
    }

    func remove(of uid: UInt32, provider: String) async throws(StoreError) {
        try await database.change(
            .account,
            (
                StorageChange.raising("DELETE FROM vault WHERE uid = $1 AND provider = $2 RETURNING uid", .account),
                [.number(uid), .text(provider)]
            )
        )
    }

    func removeTokens(
        ofKeys choose: @escaping @Sendable ([VaultKeyRecord]) throws(StoreError) -> Set<String>
    ) async throws(StoreError) -> Int {
        try await write { transaction in
            try transaction.queue("SELECT FROM store FOR UPDATE")
            let ids = try choose(Self.keys(transaction))
            try transaction.queue(
                "DELETE FROM cache WHERE uid IN (SELECT uid FROM vault WHERE key_id = ANY($1))",
                [.texts(Array(ids))]
            )
            let removed = try transaction.rows(
                "DELETE FROM vault WHERE key_id = ANY($1) RETURNING uid",
                [.texts(Array(ids))]
            )
            try Self.forgetUnusedKeys(transaction)
            return removed.count
        }
    }

    func resealAll(
        with key: VaultKeyRecord,
        _ reseal: @escaping @Sendable ([VaultKeyRecord], [VaultRow]) throws(StoreError) -> [VaultRow],
        committed: @escaping @Sendable () throws(StoreError) -> Void
    ) async throws(StoreError) {
        try await write(committed: committed) { transaction in
            try transaction.queue("SELECT FROM store FOR UPDATE")
            let (keys, rows) = (try Self.keys(transaction), try Self.rows(transaction))
            for row in try reseal(keys, rows) {
                try transaction.queue(
                    "UPDATE vault SET key_id = $3, sealed = $4 WHERE uid = $1 AND provider = $2",
                    [
                        .number(row.uid), .text(row.provider), .text(row.token.keyID), .bytes(Array(row.token.sealed)),
                    ]
                )
            }
            try Self.record(key, transaction)
            try Self.forgetUnusedKeys(transaction)
            try PostgresSchema.replaceKey(with: key.id, transaction)
        }
    }

    /// Runs a transaction on the connection for writes of the vault.
    ///
    /// None of this process runs between the commit of a rotation and its end.
    private func write<Value: Sendable>(
        committed: @escaping @Sendable () throws(StoreError) -> Void = {},
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws(StoreError) -> Value {
        try await database.withStoreErrors {
            // A repetition would seal with a key that the first attempt has replaced.
            try await database.vault.transaction(committed: committed, body)
        }
    }
}

extension PostgresVault {
    func record(_ key: VaultKeyRecord) async throws(StoreError) {
        try await write { try Self.record(key, $0) }
    }

    private static func record(_ key: VaultKeyRecord, _ transaction: Transaction) throws(StoreError) {
        guard let origin = key.origin else { return }
        try transaction.queue(
            """
            INSERT INTO vault_key AS k (key_id, origin) VALUES ($1, $2)
            ON CONFLICT (key_id) DO UPDATE SET origin = excluded.origin WHERE k.origin <> excluded.origin
            """,
            [.text(key.id), .text(origin.rawValue)]
        )
    }

    private static func forgetUnusedKeys(_ transaction: Transaction) throws(StoreError) {
        try transaction.queue("DELETE FROM vault_key WHERE key_id NOT IN (SELECT key_id FROM vault)")
    }
}

extension SealedToken {
    fileprivate init(_ row: SQLRow) throws(StoreError) {
        self.init(keyID: try row.text("key_id"), sealed: Data(try row.bytes("sealed")))
    }
}
