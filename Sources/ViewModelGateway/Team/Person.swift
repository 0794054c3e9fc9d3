import Digests
import JSONRPC
import ViewModelProtocol

/// A person who signed in at the provider.
struct Person: Codable, Equatable, Sendable {
    /// The longest subject with its issuer, in bytes (protocol, section 4).
    private static let longestSubject = 512
    /// The longest claims as JSON, in bytes.
    private static let longestClaims = 16 << 10

    /// The issuer and its subject, `issuer|subject`.
    let subject: String
    let name: String
    let scope: AccessScope
    let claims: JSONValue

    /// Creates a person with claims of the provider; nil if the daemon would not accept them (protocol, section 4).
    init?(_ subject: String, of issuer: String, _ scope: AccessScope, claims: JSONObject) {
        self.subject = "\(issuer)|\(subject)"
        self.claims = .object(claims)
        guard self.subject.utf8.count <= Self.longestSubject, !self.subject.unicodeScalars.contains(where: \.isControl),
            self.claims.text.count <= Self.longestClaims
        else { return nil }
        let names = ["name", "preferred_username", "email"].lazy.compactMap { claims[$0]?.stringValue }
        let name = names.first { !$0.isEmpty } ?? subject
        self.name = String(String.UnicodeScalarView(name.unicodeScalars.filter { !$0.isControl }.prefix(100)))
        self.scope = scope
    }

    /// The person in logs: the same text in all of them, which does not say who it is.
    var hash: String { SHA256.hash(Array(subject.utf8)).hexadecimal }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { properties.generalCategory == .control }
}
