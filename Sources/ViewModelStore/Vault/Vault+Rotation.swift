import FoundationEssentials
import GRDB
import Synchronization

/// The steps of a rotation.
///
/// The process may die between any two of them.
enum RotationStep: CaseIterable {
    case nextKeyWritten
    case tokensEncrypted
    case keyReplaced
}

extension Vault {
    /// Replaces the key with a new one, and re-encrypts all tokens.
    ///
    /// The former key is erased afterwards.
    ///
    /// The process may die at any moment. The next start then finds the key for all rows. Other writes wait for the end
    /// of the rotation. No other process may have the vault open.
    ///
    /// - Throws: `StoreError.Kind.unusableKey` if the key's file cannot be replaced, such as a systemd credential;
    ///   `StoreError.Kind.wrongKey` if another key encrypted a token. The former key stays in use then, except when the
    ///   final rename fails. In that case the new key is in use, and the next rotation or start repeats the rename.
    package func rotate() async throws(StoreError) {
        try await rotate { _ in }
    }

    /// Re-encrypts the tokens of a former key with the current one.
    ///
    /// This is for keys that the daemon does not keep, such as a systemd credential. An administrator replaces the key
    /// first, and then passes the path of the former one.
    package func adopt(formerKeyFile path: String) async throws(StoreError) {
        try await database.writeExclusively { db in
            guard self.ring.withLock({ $0.isSaved }) else { throw try self.wrongKeyError(db) }
            let former = try KeyFile.read(path)
            let key = self.ring.withLock { $0.current }
            try self.encryptAll(db, with: key, reading: [former, key])
        }
    }

    func rotate(reached: @escaping @Sendable (RotationStep) -> Void) async throws(StoreError) {
        try await database.writeExclusively { db in
            let source = self.source
            guard source.origin != .credential else {
                throw StoreError(
                    .unusableKey,
                    source.path,
                    "is a systemd credential, which cannot be replaced from here. Exchange it, then adopt the former key's tokens"
                )
            }
            guard try self.missingKeys(db).isEmpty else { throw try self.wrongKeyError(db) }
            let (next, current) = (VaultKey.random(), self.ring.withLock { $0.current })
            try self.cleanUpFailedRotation(current)
            try KeyFile.write(next, to: source.nextPath)
            reached(.nextKeyWritten)
            self.ring.withLock { $0.add(next) }
            do {
                try self.encryptAll(db, with: next, reading: [current])
            } catch {
                // The next key is removed only if no committed row needs it. Otherwise the file may be its only copy.
                if (try? Self.usedKeys(db).contains(next.id)) == false { KeyFile.remove(source.nextPath) }
                throw error
            }
            reached(.tokensEncrypted)
            self.ring.withLock { $0.replace(with: next) }
            try KeyFile.move(source.nextPath, to: source.path)
            reached(.keyReplaced)
            // The log may still contain tokens under the former key. While a reader prevents this, a later checkpoint
            // does it.
            _ = try? db.checkpoint(.truncate)
        }
    }

    /// Completes or removes the next key of a failed rotation.
    ///
    /// The file may be the only copy of the key in use.
    ///
    /// - Throws: `StoreError.Kind.unusableKey` if the file cannot be read. The file stays then.
    private func cleanUpFailedRotation(_ current: VaultKey) throws {
        guard KeyFile.exists(source.nextPath) else { return }
        if !KeyFile.isFragment(source.nextPath), try KeyFile.read(source.nextPath).id == current.id {
            try KeyFile.move(source.nextPath, to: source.path)
        } else {
            KeyFile.remove(source.nextPath)
        }
    }

    private func encryptAll(_ db: Database, with next: VaultKey, reading keys: [VaultKey]) throws {
        try db.inTransaction {
            let rows = try Row.fetchAll(db, sql: "SELECT uid, provider, keyID, sealed FROM vault")
            for row in rows {
                let (uid, provider): (UInt32, String) = (try row.value("uid"), try row.value("provider"))
                let id: String = try row.value("keyID")
                guard let key = keys.first(where: { $0.id == id }) else { throw try wrongKeyError(db) }
                let sealed: Data
                do {
                    sealed = try TokenEncryption.reseal(
                        row.value("sealed"),
                        uid: uid,
                        provider: provider,
                        from: key,
                        to: next
                    )
                } catch {
                    throw damagedRow(uid, provider)
                }
                try db.execute(
                    sql: "UPDATE vault SET keyID = ?, sealed = ? WHERE uid = ? AND provider = ?",
                    arguments: [next.id, sealed, uid, provider]
                )
            }
            try Self.storeOrigin(db, of: next.id, source.origin)
            try Self.forgetUnusedKeys(db)
            return .commit
        }
    }
}
