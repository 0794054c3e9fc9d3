import FoundationEssentials
import GRDB
import Logging
import Synchronization

/// The vault of account tokens, one for each user and provider, encrypted in the store's file.
///
/// Isolation: used from anywhere.
package final class Vault: Sendable {
    let database: DatabaseFile
    let source: VaultKeySource
    let ring: Mutex<Keyring>

    /// Loads the key.
    ///
    /// The call blocks.
    init(database: DatabaseFile, source: VaultKeySource, logger: Logger) throws(StoreError) {
        let (used, origins) = try database.blockingWrite { db in
            let used = try Self.usedKeys(db)
            return (used, try used.map { try Self.origin(db, of: $0) })
        }
        let ring = try source.load(used: used)
        if used == [ring.current.id], origins != [source.origin] {
            // An older version has not recorded the origin, or the key was moved.
            try database.blockingWrite { try Self.storeOrigin($0, of: ring.current.id, source.origin) }
        }
        self.database = database
        self.source = source
        self.ring = Mutex(ring)
        let strange = used.filter { ring[$0] == nil }
        if !strange.isEmpty {
            logger.error(
                "The vault holds tokens that another key encrypted",
                metadata: [
                    "key": "\(ring.current.id)", "file": "\(source.path)",
                    "needed": "\(strange.sorted().joined(separator: ", "))",
                ]
            )
        }
    }

    /// The id of the current key.
    ///
    /// It reveals nothing about the key itself.
    package var keyID: String { ring.withLock { $0.current.id } }

    /// Returns the token of a user and a provider, or nil.
    ///
    /// - Throws: `StoreError.Kind.wrongKey` if another key encrypted the token, which stays; `StoreError.Kind.damaged`
    ///   if the row cannot be decrypted.
    package func token(of uid: UInt32, provider: String) async throws(StoreError) -> VaultToken? {
        try await database.read { db in
            let row = try Row.fetchOne(
                db,
                sql: "SELECT keyID, sealed FROM vault WHERE uid = ? AND provider = ?",
                arguments: [uid, provider]
            )
            guard let row else { return nil }
            guard let key = self.ring.withLock({ ring in (try? row.value("keyID")).flatMap { ring[$0] } }) else {
                throw try self.wrongKeyError(db)
            }
            do {
                return try TokenEncryption.open(row.value("sealed"), uid: uid, provider: provider, with: key)
            } catch {
                throw self.damagedRow(uid, provider)
            }
        }
    }

    /// Stores a token and replaces the former one.
    ///
    /// - Throws: `StoreError.Kind.wrongKey` while the vault contains a token that another key encrypted.
    package func store(_ token: VaultToken, of uid: UInt32, provider: String) async throws(StoreError) {
        try await database.write { db in
            let key = self.ring.withLock { $0.current }
            guard try Self.usedKeys(db).subtracting([key.id]).isEmpty else { throw try self.wrongKeyError(db) }
            try self.saveKey()
            try Self.storeOrigin(db, of: key.id, self.source.origin)
            try db.execute(
                sql: """
                    INSERT INTO vault (uid, provider, keyID, sealed) VALUES (?, ?, ?, ?)
                    ON CONFLICT DO UPDATE SET keyID = excluded.keyID, sealed = excluded.sealed
                    """,
                arguments: [
                    uid, provider, key.id, TokenEncryption.seal(token, uid: uid, provider: provider, with: key),
                ]
            )
        }
    }

    /// Removes a token, whatever key encrypted it.
    ///
    /// Does nothing if there is no token.
    ///
    /// No file of the store contains the token when this returns.
    package func remove(of uid: UInt32, provider: String) async throws(StoreError) {
        try await database.write(erases: true) { db in
            try db.execute(sql: "DELETE FROM vault WHERE uid = ? AND provider = ?", arguments: [uid, provider])
        }
    }

    /// Checks that the keys of all tokens are present.
    ///
    /// - Throws: `StoreError.Kind.wrongKey` if another key is needed.
    package func verify() async throws(StoreError) {
        try await database.read { db in
            guard try self.missingKeys(db).isEmpty else { throw try self.wrongKeyError(db) }
        }
    }

    /// Removes the tokens of lost keys and the cached pages of their users.
    ///
    /// No file of the store contains any of them when this returns.
    ///
    /// - Parameter keyIsLost: whether to remove the tokens of a key with another origin as well, such as a systemd
    ///   credential.
    /// - Returns: The number of removed tokens.
    /// - Throws: `StoreError.Kind.wrongKey` if `keyIsLost` is false and such a key may only be missing.
    @discardableResult
    package func removeUnreadable(keyIsLost: Bool = false) async throws(StoreError) -> Int {
        let count = try await database.write(erases: true) { db in
            if !keyIsLost, let error = try self.absentKeyError(db) { throw error }
            var count = 0
            for id in try self.missingKeys(db) {
                // As on sign-out, the user's cached pages are removed with the token.
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
        try await database.writeExclusively { _ in try self.saveKey() }
        return count
    }

    /// Writes a key that exists only in memory to its file.
    ///
    /// The caller has exclusive access to the database.
    private func saveKey() throws(StoreError) {
        let unsaved = ring.withLock { $0.isSaved ? nil : $0.current }
        guard let unsaved else { return }
        try source.save(unsaved)
        ring.withLock { $0.markSaved() }
    }

    func damagedRow(_ uid: UInt32, _ provider: String) -> StoreError {
        .damaged(database.path, "the token of uid \(uid) for \(provider)")
    }
}
