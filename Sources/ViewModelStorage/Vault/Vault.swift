import Synchronization

/// The vault of account tokens, one for each user and provider, encrypted in the rows of a store.
///
/// Isolation: used from anywhere.
package final class Vault: Sendable {
    let records: any VaultRecords
    let source: VaultKeySource
    let ring: Mutex<Keyring>
    /// Held while a key is written to its file.
    private let saving = Mutex(())

    /// Loads the key.
    ///
    /// The call blocks. The caller records the origin of ``key`` if a token needs the key and its record differs. Tokens
    /// may need other keys (``verify()``).
    ///
    /// - Parameters:
    ///   - records: the rows of the store.
    ///   - used: the keys that the tokens need.
    ///   - source: the place of the key.
    /// - Throws: `StoreError.Kind.unusableKey` if a key cannot be read or written; `StoreError.Kind.diskFull`.
    package init(
        records: any VaultRecords,
        used: [VaultKeyRecord],
        source: VaultKeySource
    ) throws(StoreError) {
        let ring = try source.load(used: Set(used.map(\.id)))
        self.records = records
        self.source = source
        self.ring = Mutex(ring)
    }

    /// The id and the origin of the current key.
    ///
    /// The id reveals nothing about the key itself.
    package var key: VaultKeyRecord {
        VaultKeyRecord(id: ring.withLock { $0.current.id }, origin: source.origin)
    }

    /// Returns the id of the current key and a code of a text, which all daemons with this key can compare.
    ///
    /// Without the key, a guess of the text cannot be tested.
    package func digest(of text: [UInt8]) -> [UInt8] {
        ring.withLock { $0.current }.digest(of: text)
    }

    /// Returns the token of a user and a provider, or nil.
    ///
    /// - Throws: `StoreError.Kind.wrongKey` if another key encrypted the token, which stays; `StoreError.Kind.damaged`
    ///   if the row cannot be decrypted.
    package func token(of uid: UInt32, provider: String) async throws(StoreError) -> VaultToken? {
        var former: SealedToken?
        while let row = try await records.token(of: uid, provider: provider) {
            if let key = ring.withLock({ $0[row.keyID] }) {
                do {
                    return try TokenEncryption.open(row, uid: uid, provider: provider, with: key)
                } catch {
                    throw damagedRow(uid, provider)
                }
            }
            // A rotation may have sealed the token anew since it was read.
            guard row.keyID != former?.keyID else { throw wrongKeyError(try await records.keys()) }
            former = row
        }
        return nil
    }

    /// Stores a token and replaces the former one.
    ///
    /// - Throws: `StoreError.Kind.wrongKey` while the vault contains a token that another key encrypted.
    package func store(_ token: VaultToken, of uid: UInt32, provider: String) async throws(StoreError) {
        try await records.store(of: uid, provider: provider, origin: source.origin) { keys throws(StoreError) in
            let key = self.ring.withLock { $0.current }
            guard keys.allSatisfy({ $0.id == key.id }) else { throw self.wrongKeyError(keys) }
            try self.saveKey()
            do {
                return try TokenEncryption.seal(token, uid: uid, provider: provider, with: key)
            } catch {
                throw StoreError(.failed, self.records.place, "could not be used: \(type(of: error))")
            }
        }
    }

    /// Removes a token, whatever key encrypted it.
    ///
    /// Does nothing if there is no token.
    ///
    /// No file of the store contains the token when this returns.
    package func remove(of uid: UInt32, provider: String) async throws(StoreError) {
        try await records.remove(of: uid, provider: provider)
    }

    /// Checks that the keys of all tokens are present.
    ///
    /// - Throws: `StoreError.Kind.wrongKey` if another key is needed.
    package func verify() async throws(StoreError) {
        let keys = try await records.keys()
        guard missingKeys(keys).isEmpty else { throw wrongKeyError(keys) }
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
        let count = try await records.removeTokens { keys throws(StoreError) in
            if !keyIsLost, let error = self.absentKeyError(keys, isOfCommand: true) { throw error }
            return Set(self.missingKeys(keys).map(\.id))
        }
        try await Blocking.run { () throws(StoreError) in try self.saveKey() }
        return count
    }

    /// Writes a key that exists only in memory to its file.
    ///
    /// The call blocks.
    private func saveKey() throws(StoreError) {
        try saving.withLock { _ throws(StoreError) in
            let unsaved = ring.withLock { $0.isSaved ? nil : $0.current }
            guard let unsaved else { return }
            try source.save(unsaved)
            ring.withLock { $0.markSaved() }
        }
    }

    func damagedRow(_ uid: UInt32, _ provider: String) -> StoreError {
        .damaged(records.place, "the token of uid \(uid) for \(provider)")
    }
}
