import Crypto
import Foundation
import JSONRPC

/// Encrypts the cookies of people, so that only gateways with the same key read and write them.
struct CookieSeal: Sendable {
    private let key: SymmetricKey

    /// Derives the key of a client of an issuer from a secret, so that no cookie outlives a change of them.
    init(secret: [UInt8], issuer: String, clientID: String) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret),
            info: Data("viewmodel-gateway \(issuer) \(clientID)".utf8),
            outputByteCount: 32
        )
    }

    /// Returns the value of the cookie of this name.
    func seal(_ value: some Encodable, as name: String) throws -> String {
        let box = try AES.GCM.seal(JSONWriter.text(of: value), using: key, authenticating: Data(name.utf8))
        return (box.combined ?? Data()).base64URL
    }

    /// Returns what a cookie of this name has; nil if no gateway with this key made it.
    func open<Value: Decodable>(_ text: String, as name: String) -> Value? {
        guard let bytes = Data(base64URL: text), let box = try? AES.GCM.SealedBox(combined: bytes),
            let content = try? AES.GCM.open(box, using: key, authenticating: Data(name.utf8))
        else { return nil }
        return content.withUnsafeBytes { try? JSONValueDecoder.decode(Value.self, from: $0) }
    }
}
