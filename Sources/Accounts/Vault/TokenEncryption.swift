import Crypto
import FoundationEssentials
import ViewModelStorage

/// The encryption of a token for its row: AES-256-GCM, authenticated with the row's uid and provider.
enum TokenEncryption {
    static func seal(_ token: VaultToken, uid: UInt32, provider: String, with key: VaultKey) throws -> SealedToken {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        return try sealed(encoder.encode(token), authenticating: authenticatedData(uid, provider), with: key)
    }

    static func open(_ token: SealedToken, uid: UInt32, provider: String, with key: VaultKey) throws -> VaultToken {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        return try decoder.decode(
            VaultToken.self,
            from: opened(token.sealed, authenticating: authenticatedData(uid, provider), with: key)
        )
    }

    /// Decrypts the token of a row with one key and encrypts it with another one.
    static func reseal(_ row: VaultRow, from old: VaultKey, to new: VaultKey) throws -> VaultRow {
        let data = authenticatedData(row.uid, row.provider)
        var row = row
        row.token = try sealed(
            opened(row.token.sealed, authenticating: data, with: old),
            authenticating: data,
            with: new
        )
        return row
    }

    private static func sealed(_ content: Data, authenticating row: Data, with key: VaultKey) throws -> SealedToken {
        let box = try AES.GCM.seal(content, using: SymmetricKey(data: key.bytes), authenticating: row)
        // `combined` is optional because a nonce may have an unusual length. This nonce is always 12 bytes.
        return SealedToken(keyID: key.id, sealed: Data(box.nonce) + box.ciphertext + box.tag)
    }

    private static func opened(_ data: Data, authenticating row: Data, with key: VaultKey) throws -> Data {
        try AES.GCM.open(AES.GCM.SealedBox(combined: data), using: SymmetricKey(data: key.bytes), authenticating: row)
    }

    /// Returns the authenticated data of a row.
    ///
    /// The content does not decrypt in another row.
    private static func authenticatedData(_ uid: UInt32, _ provider: String) -> Data {
        Data("viewmodeld vault 1 \(uid) \(provider)".utf8)
    }
}
