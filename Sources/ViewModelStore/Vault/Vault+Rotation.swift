import FoundationEssentials
import GRDB
import Synchronization

/// The moments of a rotation between which a process may die.
enum RotationStep: CaseIterable {
    case nextKeyWritten
    case tokensEncrypted
    case keyReplaced
}

extension Vault {
    /// Makes a new key and encrypts everything with it; the former key is gone afterwards.
    ///
    /// A process may die at any moment of it: the next start finds the key that opens everything. Meanwhile other writes wait.
    /// No other process may have the vault open.
    ///
    /// - Throws: `StoreError.Kind.unusableKey` where the key's file cannot be replaced, as a systemd credential cannot;
    ///   `StoreError.Kind.wrongKey` where something was encrypted with another key. The former key is in use then.
    public func rotate() async throws(StoreError) {
        try await rotate { _ in }
    }

    /// Encrypts with the present key what a former one encrypted.
    ///
    /// For keys that someone else keeps, such as a systemd credential: first the key is exchanged, then this is told where
    /// the former one is.
    public func adopt(formerKeyFile path: String) async throws(StoreError) {
        try await database.writeAlone { db in
            guard self.ring.withLock({ $0.isSaved }) else { throw try self.wrongKey(db) }
            let former = try KeyFile.read(path)
            let key = self.ring.withLock { $0.current }
            try self.encryptAll(db, with: key, reading: [former, key])
        }
    }

    func rotate(reached: @escaping @Sendable (RotationStep) -> Void) async throws(StoreError) {
        try await database.writeAlone { db in
            let source = self.source
            guard source.origin != .credential else {
                throw StoreError(
                    .unusableKey,
                    source.path,
                    "is a systemd credential, which cannot be replaced from here. Exchange it, then adopt the former key's tokens"
                )
            }
            guard try self.missingKeys(db).isEmpty else { throw try self.wrongKey(db) }
            let (next, current) = (VaultKey.random(), self.ring.withLock { $0.current })
            try self.settleFormerRotation(current)
            try KeyFile.write(next, to: source.nextPath)
            reached(.nextKeyWritten)
            self.ring.withLock { $0.add(next) }
            do {
                try self.encryptAll(db, with: next, reading: [current])
            } catch {
                // Not removed, unless nothing can have been committed with it: then it might be the only one that opens it.
                if (try? Self.usedKeys(db).contains(next.id)) == false { KeyFile.remove(source.nextPath) }
                throw error
            }
            reached(.tokensEncrypted)
            self.ring.withLock { $0.replace(with: next) }
            try KeyFile.move(source.nextPath, to: source.path)
            reached(.keyReplaced)
            // What was encrypted with the former key leaves the log, too; where someone reads, that happens later by itself.
            _ = try? db.checkpoint(.truncate)
        }
    }

    /// Puts the key of the last rotation in its place where that failed: it is the only copy of the key in use.
    ///
    /// - Throws: `StoreError.Kind.unusableKey` when the file cannot be read; it stays.
    private func settleFormerRotation(_ current: VaultKey) throws {
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
                guard let key = keys.first(where: { $0.id == id }) else { throw try wrongKey(db) }
                let sealed: Data
                do {
                    sealed = try Sealing.reseal(
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
            try Self.noteOrigin(db, of: next.id, source.origin)
            try Self.forgetUnusedKeys(db)
            return .commit
        }
    }
}
