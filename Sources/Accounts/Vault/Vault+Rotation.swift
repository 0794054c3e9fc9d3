import FoundationEssentials
import Synchronization
package import ViewModelStorage

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
        let former = try await Blocking.run { () throws(StoreError) in try KeyFile.read(path) }
        let current = keys.ring.withLock { $0.current }
        try await records.resealAll(with: keys.current) { used, rows throws(StoreError) in
            guard keys.ring.withLock({ $0.isSaved }) else { throw keys.wrongKeyError(used, isOfCommand: true) }
            return try reseal(rows, with: current, reading: [former, current], used)
        } committed: {
        }
    }

    func rotate(reached: @escaping @Sendable (RotationStep) -> Void) async throws(StoreError) {
        let source = keys.source
        guard source.origin != .credential else {
            throw StoreError(
                .unusableKey,
                source.path,
                "is a systemd credential, which cannot be replaced from here. Exchange it, then adopt the former key's tokens"
            )
        }
        let next = VaultKey.random()
        let record = VaultKeyRecord(id: next.id, origin: source.origin)
        try await records.resealAll(with: record) { used, rows throws(StoreError) in
            guard keys.missing(used).isEmpty else { throw keys.wrongKeyError(used, isOfCommand: true) }
            let current = keys.ring.withLock { $0.current }
            // The rename of a former rotation may have failed.
            try source.finishInterruptedRotation(Set(used.map(\.id)))
            // If the commit fails, the file stays, because it may be the only copy of a key in use. The next rotation or
            // start removes it, unless a row needs it.
            try KeyFile.write(next, to: source.nextPath)
            reached(.nextKeyWritten)
            keys.ring.withLock { $0.add(next) }
            do throws(StoreError) {
                return try reseal(rows, with: next, reading: [current], used)
            } catch {
                KeyFile.remove(source.nextPath)
                throw error
            }
        } committed: { () throws(StoreError) in
            reached(.tokensEncrypted)
            keys.ring.withLock { $0.replace(with: next) }
            try KeyFile.move(source.nextPath, to: source.path)
            reached(.keyReplaced)
        }
    }

    private func reseal(
        _ rows: [VaultRow],
        with next: VaultKey,
        reading available: [VaultKey],
        _ used: [VaultKeyRecord]
    ) throws(StoreError) -> [VaultRow] {
        var resealed: [VaultRow] = []
        for row in rows {
            guard let key = available.first(where: { $0.id == row.token.keyID }) else {
                throw keys.wrongKeyError(used, isOfCommand: true)
            }
            do {
                resealed.append(try TokenEncryption.reseal(row, from: key, to: next))
            } catch {
                throw damagedRow(row.uid, row.provider)
            }
        }
        return resealed
    }
}
