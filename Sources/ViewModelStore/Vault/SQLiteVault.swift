import FoundationEssentials
import GRDB
import ViewModelStorage

/// The rows of the vault in the store's file.
final class SQLiteVault: VaultRecords {
    private let database: DatabaseFile

    init(database: DatabaseFile) {
        self.database = database
    }

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
        try usedKeys(db).sorted().map { VaultKeyRecord(id: $0, origin: try origin(db, of: $0)) }
    }

    static func usedKeys(_ db: Database) throws -> Set<String> {
        try String.fetchSet(db, sql: "SELECT DISTINCT keyID FROM vault")
    }

    /// Returns the origin of a key; nil if only an older version has used the key.
    static func origin(_ db: Database, of keyID: String) throws -> VaultKeySource.Origin? {
        try String.fetchOne(db, sql: "SELECT origin FROM vaultKey WHERE keyID = ?", arguments: [keyID])
            .flatMap(VaultKeySource.Origin.init)
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
