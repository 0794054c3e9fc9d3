import Digests
import Foundation

/// A sign-in that goes on at the provider, as a cookie of the browser that began it.
struct PendingSignIn: Codable, Equatable, Sendable {
    /// The seconds that a person has to sign in.
    static let seconds = 600
    /// The bytes of cookies below which a browser may begin another sign-in, in another tab.
    ///
    /// With the cookie of a session they fit into a header of 8 KiB, the limit of the usual proxies.
    static let mostBytes = 2400
    static let cookiePrefix = "__Host-viewmodel-sign-in-"

    let state: String
    let nonce: String
    /// The secret of PKCE (RFC 7636).
    let verifier: String
    /// The path to which the browser returns.
    let path: String
    let end: Int

    /// Begins a sign-in, which returns to a path of this host, or to the base.
    init(returningTo path: String, base: String, now: Int) {
        (state, nonce, verifier) = (SecretText.make(), SecretText.make(), SecretText.make())
        self.path = Self.isLocal(path) ? path : base
        end = now + Self.seconds
    }

    /// The challenge of PKCE with the method S256.
    var challenge: String {
        Data(SHA256.hash(Array(verifier.utf8))).base64URL
    }

    var cookieName: String { Self.cookieName(ofState: state) }

    static func cookieName(ofState state: String) -> String { cookiePrefix + state.prefix(8) }

    /// Returns whether a path stays on this host, whatever browsers make of it.
    static func isLocal(_ path: String) -> Bool {
        path.hasPrefix("/") && !path.hasPrefix("//") && !path.contains("\\") && path.utf8.count <= 768
            && path.utf8.allSatisfy { 0x21...0x7E ~= $0 }
            // The way back to this page would never end.
            && !(path.prefix { $0 != "?" && $0 != "#" }.hasSuffix("/sign-in"))
    }
}
