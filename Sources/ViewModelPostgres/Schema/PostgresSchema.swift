package import ViewModelStorage

/// The tables of the shared store, and their version.
package enum PostgresSchema {
    /// The number of the transaction lock under which nodes migrate, one after the other.
    static let lock: Int64 = 0x7669_6577_6d6f_6465
    /// The longest time for all migrations.
    private static let limit = Duration.seconds(60)

    /// The statements of each version, from the first one on.
    ///
    /// Their text must not change after a release: add a version.
    static let versions: [[String]] = [version1, version2, version3, version4]

    /// Creates the tables or migrates them to the version of this program.
    ///
    /// It may run on several nodes at once.
    ///
    /// - Throws: `StoreError` of kind `newerFile` if a later version of the program made the tables. They stay unchanged.
    static func migrate(_ pool: ConnectionPool, _ versions: [[String]] = versions) async throws {
        let settings = pool.settings
        // Everyone who may connect may hold the lock of migrations, so that no start waits for it without need.
        let isCurrent = try await pool.transaction(limit: limit) { transaction in
            try version(transaction, settings.schema) == versions.count
        }
        guard !isCurrent else { return }
        try await pool.transaction(limit: limit) { transaction in
            for name in ["statement_timeout", "lock_timeout"] {
                try transaction.queue("SELECT set_config('\(name)', '\(limit.components.seconds)s', true)")
            }
            try transaction.rows("SELECT pg_advisory_xact_lock($1)", [.integer(lock)])
            let present = try version(transaction, settings.schema)
            guard present <= versions.count else { throw newer(settings, present, than: versions.count) }
            if present == 0 { try create(transaction, settings.schema) }
            for version in versions.dropFirst(present) {
                for statement in version { try transaction.queue(statement) }
            }
            if present < versions.count {
                try transaction.rows("UPDATE store SET version = $1", [.number(versions.count)])
            }
        }
    }

    /// Returns the version of the tables, or 0 if the schema has no tables.
    private static func version(_ transaction: Transaction, _ schema: String) throws -> Int {
        // A look at the tables themselves: the connection may remember a name that was missing before another node made it.
        let table = try transaction.rows(
            """
            SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = $1 AND c.relname = 'store'
            """,
            [.text(schema)]
        )
        guard !table.isEmpty else { return 0 }
        return try transaction.rows("SELECT version FROM store").first?.integer("version") ?? 0
    }

    private static func create(_ transaction: Transaction, _ schema: String) throws {
        // CREATE SCHEMA IF NOT EXISTS needs a right that the owner of an existing schema may lack.
        let found = try transaction.rows("SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1", [.text(schema)])
        if found.isEmpty { try transaction.queue("CREATE SCHEMA \"\(schema)\"") }
        try transaction.queue("CREATE TABLE store (version integer NOT NULL, vault_key text)")
        try transaction.queue("INSERT INTO store (version) VALUES (0)")
    }

    private static func newer(_ settings: ConnectionSettings, _ present: Int, than own: Int) -> StoreError {
        StoreError(
            .newerFile,
            settings.label,
            """
            has tables of a newer version of the program (\(present), this one knows \(own)). Start that \
            version here as well
            """
        )
    }

    /// Records the id of the vault's key of the first node, and compares the keys of the others with it.
    ///
    /// - Throws: `StoreError` of kind `wrongKey` if the other nodes have another key.
    package static func checkKey(_ id: String, _ pool: ConnectionPool) async throws {
        let label = pool.settings.label
        try await pool.transaction(isIdempotent: true) { transaction in
            let row = try transaction.rows("SELECT vault_key FROM store FOR UPDATE").first
            guard let known = try row?.optionalText("vault_key") else {
                try transaction.queue("UPDATE store SET vault_key = $1", [.text(id)])
                return
            }
            guard known != id else { return }
            throw StoreError(
                .wrongKey,
                label,
                """
                is used with the vault key \(known), and this node has the key \(id). Give this node the key of the \
                others: the same file in vault.keyFile, or the same systemd credential
                """
            )
        }
    }

    package static func replaceKey(with id: String, _ transaction: Transaction) throws(StoreError) {
        try transaction.queue("UPDATE store SET vault_key = $1", [.text(id)])
    }
}
