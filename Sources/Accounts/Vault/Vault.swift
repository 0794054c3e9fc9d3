import Synchronization
package import ViewModelStorage

/// The vault of account tokens, one for each user and provider, encrypted in the rows of a store.
///
/// Isolation: used from anywhere.
package struct Vault: Sendable {
    let records: any VaultRecords
    package let keys: VaultKeys

    /// Returns the token of a user and a provider, or nil.
    ///
    /// - Throws: `StoreError.Kind.wrongKey` if another key encrypted the token, which stays; `StoreError.Kind.damaged`
    ///   if the row cannot be decrypted.
    package func token(of uid: UInt32, provider: String) async throws(StoreError) -> VaultToken? {
        var former: SealedToken?
        while let row = try await records.token(of: uid, provider: provider) {
            if let key = keys.ring.withLock({ $0[row.keyID] }) {
                do {
                    return try TokenEncryption.open(row, uid: uid, provider: provider, with: key)
                } catch {
                    throw damagedRow(uid, provider)
                }
            }
            // A rotation may have sealed the token anew since it was read.
            guard row.keyID != former?.keyID else { throw keys.wrongKeyError(try await records.keys()) }
            former = row
        }
        return nil
    }

    /// Stores a token and replaces the former one.
    ///
    /// - Throws: `StoreError.Kind.wrongKey` while the vault contains a token that another key encrypted.
    package func store(_ token: VaultToken, of uid: UInt32, provider: String) async throws(StoreError) {
        try await records.store(of: uid, provider: provider, origin: keys.source.origin) { used throws(StoreError) in
            let key = keys.ring.withLock { $0.current }
            guard used.allSatisfy({ $0.id == key.id }) else { throw keys.wrongKeyError(used) }
            try keys.save()
            do {
                return try TokenEncryption.seal(token, uid: uid, provider: provider, with: key)
            } catch {
                throw StoreError(.failed, records.label, "could not be used: \(type(of: error))")
            }
        }
    }

    /// Checks that the keys of all tokens are present.
    ///
    /// - Throws: `StoreError.Kind.wrongKey` if another key is needed.
    package func verify() async throws(StoreError) {
        let used = try await records.keys()
        guard keys.missing(used).isEmpty else { throw keys.wrongKeyError(used) }
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
        let count = try await records.removeTokens { used throws(StoreError) in
            if !keyIsLost, let error = keys.absentKeyError(used, isOfCommand: true) { throw error }
            return Set(keys.missing(used).map(\.id))
        }
        try await Blocking.run { () throws(StoreError) in try keys.save() }
        return count
    }

    func damagedRow(_ uid: UInt32, _ provider: String) -> StoreError {
        .damaged(records.label, "the token of uid \(uid) for \(provider)")
    }
}

extension StateStorage {
    package var vault: Vault { Vault(records: vaultRecords, keys: vaultKeys) }
}
