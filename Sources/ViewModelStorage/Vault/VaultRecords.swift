package import FoundationEssentials

/// The rows of a vault: sealed tokens, and the keys that they need.
///
/// A store keeps them and neither seals nor opens a token. The vault of the accounts does both. A store has at most one token of a user
/// and a provider.
///
/// The closures run inside a transaction of the store, on a thread of the store. They may run again if the transaction is repeated. If
/// one throws, the transaction is rolled back, and the call throws its error.
///
/// Isolation: used from anywhere.
package protocol VaultRecords: Sendable {
    /// The path of the file, or the address of the database without a password, for errors.
    var label: String { get }

    /// Returns the keys that the tokens need, sorted by id.
    func keys() async throws(StoreError) -> [VaultKeyRecord]

    func token(of uid: UInt32, provider: String) async throws(StoreError) -> SealedToken?

    /// Stores a token, which replaces the former one, and records the origin of its key.
    ///
    /// `seal` receives the keys that the tokens need, the former one of this user and provider included.
    func store(
        of uid: UInt32,
        provider: String,
        origin: VaultKeySource.Origin,
        _ seal: @escaping @Sendable ([VaultKeyRecord]) throws(StoreError) -> SealedToken
    ) async throws(StoreError)

    /// Removes a token.
    ///
    /// Does nothing if there is no token. No file of the store contains the token when this returns.
    func remove(of uid: UInt32, provider: String) async throws(StoreError)

    /// Removes the tokens of some keys and the cached pages of their users, as on sign-out, and returns the number of tokens.
    ///
    /// No file of the store contains any of them when this returns. `choose` receives the keys that the tokens need.
    func removeTokens(
        ofKeys choose: @escaping @Sendable ([VaultKeyRecord]) throws(StoreError) -> Set<String>
    ) async throws(StoreError) -> Int

    /// Seals all tokens anew in one transaction, and forgets the keys that no token needs any more.
    ///
    /// The vault's other writes wait until the end of the call.
    ///
    /// - Parameters:
    ///   - key: the key that all tokens need afterwards.
    ///   - reseal: receives the keys that the tokens need and all rows, and returns the rows in the same order.
    ///   - committed: called after the commit. No other write of the vault runs between the commit and its end.
    /// - Throws: `StoreError`; the errors of the closures.
    func resealAll(
        with key: VaultKeyRecord,
        _ reseal: @escaping @Sendable ([VaultKeyRecord], [VaultRow]) throws(StoreError) -> [VaultRow],
        committed: @escaping @Sendable () throws(StoreError) -> Void
    ) async throws(StoreError)
}

package struct VaultKeyRecord: Hashable, Sendable {
    /// The id of the key, which reveals nothing about the key.
    package let id: String
    /// The origin of the key; nil if only an older version has used it.
    package let origin: VaultKeySource.Origin?

    package init(id: String, origin: VaultKeySource.Origin?) {
        self.id = id
        self.origin = origin
    }
}

package struct SealedToken: Hashable, Sendable {
    /// The id of the key that encrypted the token.
    package let keyID: String
    /// The nonce, the encrypted token and the authentication code.
    package let sealed: Data

    package init(keyID: String, sealed: Data) {
        self.keyID = keyID
        self.sealed = sealed
    }
}

/// An encrypted token with its owner.
package struct VaultRow: Hashable, Sendable {
    package let uid: UInt32
    package let provider: String
    package var token: SealedToken

    package init(uid: UInt32, provider: String, token: SealedToken) {
        self.uid = uid
        self.provider = provider
        self.token = token
    }
}
