import GRDB
import Synchronization

/// The keys that the tokens need, and their origins.
extension Vault {
    static func usedKeys(_ db: Database) throws -> Set<String> {
        try String.fetchSet(db, sql: "SELECT DISTINCT keyID FROM vault")
    }

    /// Records the origin of a key that encrypts tokens.
    static func storeOrigin(_ db: Database, of keyID: String, _ origin: VaultKeySource.Origin) throws {
        try db.execute(
            sql: """
                INSERT INTO vaultKey (keyID, origin) VALUES (?, ?)
                ON CONFLICT DO UPDATE SET origin = excluded.origin WHERE origin <> excluded.origin
                """,
            arguments: [keyID, origin.rawValue]
        )
    }

    /// Returns the origin of a key; nil if only an older version has used the key.
    static func origin(_ db: Database, of keyID: String) throws -> VaultKeySource.Origin? {
        try String.fetchOne(db, sql: "SELECT origin FROM vaultKey WHERE keyID = ?", arguments: [keyID])
            .flatMap(VaultKeySource.Origin.init)
    }

    /// Removes the records of keys that encrypt no token.
    static func forgetUnusedKeys(_ db: Database) throws {
        try db.execute(sql: "DELETE FROM vaultKey WHERE keyID NOT IN (SELECT keyID FROM vault)")
    }

    /// Returns the ids of the keys that tokens need and the key ring lacks.
    func missingKeys(_ db: Database) throws -> [String] {
        try Self.usedKeys(db).filter { id in ring.withLock { $0[id] == nil } }.sorted()
    }

    /// Returns the error for tokens whose key is missing.
    ///
    /// Its text names the key's place and the remedy.
    func wrongKeyError(_ db: Database) throws -> StoreError {
        if let error = try absentKeyError(db) { return error }
        let isThere = ring.withLock { $0.isSaved }
        let fault =
            isThere
            ? """
            is not the key that the vault in \(database.path) was encrypted with. Put the former key back, or pass it to \
            `\(source.program) vault adopt`
            """
            : "is missing, and the vault in \(database.path) was encrypted with a key. Put the key back"
        return StoreError(
            .wrongKey,
            source.path,
            """
            \(fault); nothing was lost. If the key is lost, `\(source.program) vault clear` deletes the tokens that it \
            encrypted
            """
        )
    }

    /// Returns the error for tokens whose missing key has another origin than the current key; nil without such tokens.
    ///
    /// Such a key is rarely lost. Usually the command was started without it.
    func absentKeyError(_ db: Database) throws -> StoreError? {
        for id in try missingKeys(db) {
            guard let origin = try Self.origin(db, of: id), origin != source.origin else { continue }
            let place: String
            let remedy: String
            switch origin {
            case .own: continue
            case .credential:
                place = "the systemd credential \(source.program).key"
                remedy = """
                    Run the command with it: systemd-run --pipe --wait -p User=\(source.program) -p \
                    LoadCredentialEncrypted=\(source.program).key \(source.program) vault … --state-directory \
                    DIRECTORY, or with CREDENTIALS_DIRECTORY
                    """
            case .configured:
                place = "the file of vault.keyFile"
                remedy = "Run the command with the daemon's configuration (--config)"
            }
            return StoreError(
                .wrongKey,
                database.path,
                """
                has tokens that \(place) encrypted, and this key is missing; nothing was lost. \(remedy). If the key is lost, \
                `\(source.program) vault clear --key-is-lost` deletes the tokens that it encrypted
                """
            )
        }
        return nil
    }
}
