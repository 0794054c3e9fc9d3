import Crypto
import FoundationEssentials

/// How a token becomes the bytes of a row: AES-256-GCM, bound to the row's user and provider.
enum Sealing {
    private struct Content: Codable {
        var access: String
        var refresh: String?
        var expiresAt: Double?
        var account: String
    }

    static func seal(_ token: VaultToken, uid: UInt32, provider: String, with key: VaultKey) throws -> Data {
        let content = Content(
            access: token.access.revealed,
            refresh: token.refresh?.revealed,
            expiresAt: token.expiresAt?.timeIntervalSince1970,
            account: token.account
        )
        return try sealed(JSONEncoder().encode(content), place: place(uid, provider), with: key)
    }

    static func open(_ sealed: Data, uid: UInt32, provider: String, with key: VaultKey) throws -> VaultToken {
        let content = try JSONDecoder().decode(
            Content.self,
            from: opened(sealed, place: place(uid, provider), with: key)
        )
        return VaultToken(
            access: Secret(content.access),
            refresh: content.refresh.map { Secret($0) },
            expiresAt: content.expiresAt.map { Date(timeIntervalSince1970: $0) },
            account: content.account
        )
    }

    /// The same content under another key.
    static func reseal(_ data: Data, uid: UInt32, provider: String, from old: VaultKey, to new: VaultKey) throws -> Data
    {
        let place = place(uid, provider)
        return try sealed(opened(data, place: place, with: old), place: place, with: new)
    }

    private static func sealed(_ content: Data, place: Data, with key: VaultKey) throws -> Data {
        let box = try AES.GCM.seal(content, using: key.symmetric, authenticating: place)
        // The combined form exists for every nonce of the usual length.
        return Data(box.nonce) + box.ciphertext + box.tag
    }

    private static func opened(_ data: Data, place: Data, with key: VaultKey) throws -> Data {
        try AES.GCM.open(AES.GCM.SealedBox(combined: data), using: key.symmetric, authenticating: place)
    }

    /// What a row's content is bound to: in another row it does not open.
    private static func place(_ uid: UInt32, _ provider: String) -> Data {
        Data("viewmodeld vault 1 \(uid) \(provider)".utf8)
    }
}
