import Foundation
import JSONRPC
import JWTKit

/// A JSON Web Token, whose signature is not verified yet.
struct SignedToken: Sendable {
    private static let longest = 16_384

    let text: String
    let algorithm: JWK.Algorithm
    /// The identifier of the key that signed the token.
    let keyID: String?
    private let type: String?
    /// The claims, which anybody may have written.
    let claims: JSONObject

    /// Parses a token; nil for a malformed one, and for one without a signature by a private key.
    ///
    /// The type of the algorithms has no `none` and no HMAC, whose key would be the public one.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.longest, parts.count == 3, let header = Self.object(parts[0]),
            let claims = Self.object(parts[1]), header["crit"] == nil,
            header["typ"] == nil || header["typ"]?.stringValue != nil,
            let algorithm = (header["alg"]?.stringValue).flatMap({ JWK.Algorithm(rawValue: $0) }), algorithm != .rsaOAEP
        else { return nil }
        (self.text, self.algorithm, self.claims) = (text, algorithm, claims)
        keyID = header["kid"]?.stringValue
        type = header["typ"]?.stringValue?.lowercased()
    }

    /// Returns whether the header names this type, or none (RFC 8725, section 3.11).
    func mayBe(_ type: String) -> Bool {
        self.type.map { [type, "application/\(type)", "jwt"].contains($0) } ?? true
    }

    private static func object(_ part: Substring) -> JSONObject? {
        Data(base64URL: part).flatMap { JSONValue(text: Array($0))?.objectValue }
    }

    /// Returns whether one of the keys signed the token.
    func isSigned(byOneOf keys: [JWK]) async -> Bool {
        for key in keys where keyID == nil || key.keyIdentifier?.string == keyID {
            if await isSigned(by: key) { return true }
        }
        return false
    }

    private func isSigned(by key: JWK) async -> Bool {
        // A key is good for its own algorithm only, whatever the token says.
        guard key.algorithm == nil || key.algorithm == algorithm else { return false }
        var key = key
        (key.keyIdentifier, key.algorithm, key.privateExponent) = (JWKIdentifier(string: "key"), algorithm, nil)
        do {
            // The collection has one key, because it takes any other one for an unknown identifier.
            let keys = try await JWTKeyCollection().add(jwk: key)
            _ = try await keys.verify(text, as: Unread.self)
            return true
        } catch {
            return false
        }
    }

    private struct Unread: JWTPayload {
        func verify(using algorithm: some JWTAlgorithm) {}
    }
}

extension [JWK] {
    /// The most keys of a set, because each one is tried on a token that names no key.
    private static let most = 64

    /// Reads the keys for signatures in a key set (RFC 7517), and skips those of kinds that are not known.
    init?(set: [UInt8]) {
        guard let items = JSONValue(text: set)?["keys"]?.arrayValue else { return nil }
        let usable = items.lazy.filter { $0["use"] == nil || $0["use"] == .string("sig") }
        self = Array(usable.compactMap { try? JWK(json: "\($0)") }.prefix(Self.most))
    }
}
