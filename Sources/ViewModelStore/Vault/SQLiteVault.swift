import FoundationEssentials
import GRDB
import ViewModelStorage

/// The rows of the vault in the store's file.
struct SQLiteVault: VaultRecords {
    let database: DatabaseFile

    var label: String { database.path }

    func keys() async throws(StoreError) -> [VaultKeyRecord] {
        try await database.read { try Self.keys($0) }
    }

    func token(of uid: UInt32, provider: String) async throws(StoreError) -> SealedToken? {
        try await database.read { db in
            try Row.fetchOne(
                db,
                sql: "SELECT keyID, sealed FROM vault WHERE uid = ? AND provider = ?",
                arguments: [uid, provider]
            ).map { try SealedToken($0) }
        }
    }

    func store(
        of uid: UInt32,
        provider: String,
        origin: VaultKeySource.Origin,
        _ seal: @escaping @Sendable ([VaultKeyRecord]) throws(StoreError) -> SealedToken
    ) async throws(StoreError) {
        try await database.write { db in
            let token = try seal(Self.keys(db))
            try Self.record(VaultKeyRecord(id: token.keyID, origin: origin), db)
            try db.execute(
                sql: """
                    INSERT INTO vault (uid, provider, keyID, sealed) VALUES (?, ?, ?, ?)
                    ON CONFLICT DO UPDATE SET keyID = excluded.keyID, sealed = excluded.sealed
                    """,
                arguments: [uid, provider, token.keyID, token.sealed]
            )
        }
    }

    func remove(of uid: UInt32, provider: String) async throws(StoreError) {
        try await database.write(erases: true) { db in
            try db.execute(sql: "DELETE FROM vault WHERE uid = ? AND provider = ?", arguments: [uid, provider])
        }
    }

    func removeTokens(
        ofKeys choose: @escaping @Sendable ([VaultKeyRecord]) throws(StoreError) -> Set<String>
    ) async throws(StoreError) -> Int {
        try await database.write(erases: true) { db in
            var count = 0
            for id in try choose(Self.keys(db)) {
                try db.execute(
                    sql: "DELETE FROM cache WHERE uid IN (SELECT uid FROM vault WHERE keyID = ?)",
                    arguments: [id]
                )
                try db.execute(sql: "DELETE FROM vault WHERE keyID = ?", arguments: [id])
                count += db.changesCount
            }
            try Self.forgetUnusedKeys(db)
            return count
        }
    }

    func resealAll(
        with key: VaultKeyRecord,
        _ reseal: @escaping @Sendable ([VaultKeyRecord], [VaultRow]) throws(StoreError) -> [VaultRow],
        committed: @escaping @Sendable () throws(StoreError) -> Void
    ) async throws(StoreError) {
        try await database.writeExclusively { db in
            try db.inTransaction {
                for row in try reseal(Self.keys(db), Self.rows(db)) {
                    try db.execute(
                        sql: "UPDATE vault SET keyID = ?, sealed = ? WHERE uid = ? AND provider = ?",
                        arguments: [row.token.keyID, row.token.sealed, row.uid, row.provider]
                    )
                }
                try Self.record(key, db)
                try Self.forgetUnusedKeys(db)
                return .commit
            }
            try committed()
            // The log may still contain tokens under the former key. While a reader prevents this, a later checkpoint
            // does it.
            _ = try? db.checkpoint(.truncate)
        }
    }

    private static func rows(_ db: Database) throws -> [VaultRow] {
        try Row.fetchAll(db, sql: "SELECT uid, provider, keyID, sealed FROM vault").map { row in
            VaultRow(uid: try row.value("uid"), provider: try row.value("provider"), token: try SealedToken(row))
        }
    }
}

extension SQLiteVault {
    static func keys(_ db: Database) throws -> [VaultKeyRecord] {
        // The backup of an older version has no origins.
        let origins = try db.tableExists("vaultKey") ? "vaultKey" : "(SELECT NULL AS keyID, NULL AS origin)"
        let sql = """
            SELECT DISTINCT v.keyID, k.origin FROM vault v LEFT JOIN \(origins) k ON k.keyID = v.keyID ORDER BY v.keyID
            """
        return try Row.fetchAll(db, sql: sql).map { row in
            let origin = try row.optional("origin", as: String.self).flatMap(VaultKeySource.Origin.init)
            return VaultKeyRecord(id: try row.value("keyID"), origin: origin)
        }
    }

    /// Records the origin of a key that encrypts tokens.
    static func record(_ key: VaultKeyRecord, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO vaultKey (keyID, origin) VALUES (?, ?)
                ON CONFLICT DO UPDATE SET origin = excluded.origin WHERE origin <> excluded.origin
                """,
            arguments: [key.id, key.origin?.rawValue]
        )
    }

    /// Removes the records of keys that encrypt no token.
    private static func forgetUnusedKeys(_ db: Database) throws {
        try db.execute(sql: "DELETE FROM vaultKey WHERE keyID NOT IN (SELECT keyID FROM vault)")
    }
}

extension SealedToken {
    fileprivate init(_ row: Row) throws {
        self.init(keyID: try row.value("keyID"), sealed: try row.value("sealed"))
    }
}
