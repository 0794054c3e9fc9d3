import FoundationEssentials
import GRDB
import Logging
import Synchronization

/// The vault of account tokens, one for each user and provider, encrypted in the store's file.
///
/// Isolation: used from anywhere.
public final class Vault: Sendable {
    let database: DatabaseFile
    let source: VaultKeySource
    let ring: Mutex<Keyring>

    /// Loads the key.
    ///
    /// The call blocks.
    init(database: DatabaseFile, source: VaultKeySource, logger: Logger) throws(StoreError) {
        let used = try database.blockingWrite { try Self.usedKeys($0) }
        let ring = try source.load(used: used)
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
    public var keyID: String { ring.withLock { $0.current.id } }

    /// Returns the token of a user and a provider, or nil.
    ///
    /// - Throws: `StoreError.Kind.wrongKey` if another key encrypted the token, which stays; `StoreError.Kind.damaged`
    ///   if the row cannot be decrypted.
    public func token(of uid: UInt32, provider: String) async throws(StoreError) -> VaultToken? {
        try await database.read { db in
            let row = try Row.fetchOne(
                db,
                sql: "SELECT keyID, sealed FROM vault WHERE uid = ? AND provider = ?",
                arguments: [uid, provider]
            )
            guard let row else { return nil }
            guard let key = self.ring.withLock({ ring in (try? row.value("keyID")).flatMap { ring[$0] } }) else {
                throw self.wrongKey()
            }
            do {
                return try Sealing.open(row.value("sealed"), uid: uid, provider: provider, with: key)
            } catch {
                throw self.damagedRow(uid, provider)
            }
        }
    }

    /// Stores a token and replaces the former one.
    ///
    /// - Throws: `StoreError.Kind.wrongKey` while the vault contains a token that another key encrypted.
    public func store(_ token: VaultToken, of uid: UInt32, provider: String) async throws(StoreError) {
        try await database.write { db in
            let key = self.ring.withLock { $0.current }
            guard try Self.usedKeys(db).subtracting([key.id]).isEmpty else { throw self.wrongKey() }
            try db.execute(
                sql: """
                    INSERT INTO vault (uid, provider, keyID, sealed) VALUES (?, ?, ?, ?)
                    ON CONFLICT DO UPDATE SET keyID = excluded.keyID, sealed = excluded.sealed
                    """,
                arguments: [
                    uid, provider, key.id, Sealing.seal(token, uid: uid, provider: provider, with: key),
                ]
            )
        }
    }

    /// Removes a token, whatever key encrypted it.
    ///
    /// Does nothing if there is no token.
    ///
    /// No file of the store contains the token when this returns.
    public func remove(of uid: UInt32, provider: String) async throws(StoreError) {
        try await database.erase { db in
            try db.execute(sql: "DELETE FROM vault WHERE uid = ? AND provider = ?", arguments: [uid, provider])
        }
    }

    /// Checks that the keys of all tokens are present.
    ///
    /// - Throws: `StoreError.Kind.wrongKey` if another key is needed.
    public func verify() async throws(StoreError) {
        try await database.read { db in
            let used = try Self.usedKeys(db)
            guard self.ring.withLock({ ring in used.allSatisfy { ring[$0] != nil } }) else { throw self.wrongKey() }
        }
    }

    /// Removes the tokens of lost keys, and returns their number.
    @discardableResult
    public func removeUnreadable() async throws(StoreError) -> Int {
        try await database.erase { db in
            let strange = try Self.usedKeys(db).filter { id in self.ring.withLock { $0[id] == nil } }
            var count = 0
            for id in strange {
                try db.execute(sql: "DELETE FROM vault WHERE keyID = ?", arguments: [id])
                count += db.changesCount
            }
            return count
        }
    }

    static func usedKeys(_ db: Database) throws -> Set<String> {
        try String.fetchSet(db, sql: "SELECT DISTINCT keyID FROM vault")
    }

    func wrongKey() -> StoreError {
        StoreError(
            .wrongKey,
            source.path,
            """
            is not the key that the vault in \(database.path) was encrypted with. \
            Put the former key back, or hand it over with `viewmodeld vault adopt`; nothing was lost. Where it is gone for \
            good, `viewmodeld vault clear` gives up what it encrypted
            """
        )
    }

    func damagedRow(_ uid: UInt32, _ provider: String) -> StoreError {
        .damaged(database.path, "the token of uid \(uid) for \(provider)")
    }
}
