import Digests
import ViewModelProtocol

/// The secrets that let a client in: the bearer token, one-time tokens and cookies.
///
/// A value without I/O.
///
/// The times are seconds of any clock that does not go back: of the process for one-time tokens, of the calendar for
/// cookies.
struct AccessTokens: Sendable {
    /// The seconds for which a one-time token is valid.
    static let oneTimeSeconds = 60
    /// The most one-time tokens that are valid at a time.
    ///
    /// A further one replaces the oldest one.
    static let oneTimeCount = 64

    private let bearer: String
    private let bearerScope: AccessScope
    private let cookieSeconds: Int
    /// The key of the cookies' signatures.
    private let key: [UInt8]
    private var oneTime: [(token: String, scope: AccessScope, expiry: Int)] = []

    /// Derives the key that signs cookies from the cookie secret and the bearer token.
    init(bearer: String, cookieSecret: String, bearerScope: AccessScope, cookieSeconds: Int) {
        self.bearer = bearer
        self.bearerScope = bearerScope
        self.cookieSeconds = cookieSeconds
        key = HMAC.code(for: Array(cookieSecret.utf8), key: Array(bearer.utf8))
    }

    /// Returns the scope of the client that sent a header `Authorization`, or nil if the token is not valid.
    func scope(ofAuthorization header: String) -> AccessScope? {
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return SecretText.isEqual(bearer, String(parts[1])) ? bearerScope : nil
    }

    // MARK: One-time tokens

    mutating func issue(_ scope: AccessScope, now: Int) -> String {
        oneTime.removeAll { $0.expiry <= now }
        if oneTime.count >= Self.oneTimeCount { oneTime.removeFirst() }
        let token = SecretText.make()
        oneTime.append((token, scope, now + Self.oneTimeSeconds))
        return token
    }

    /// Uses up a one-time token; returns its scope, or nil if it was used, is too old or was never issued.
    mutating func redeem(_ token: String, now: Int) -> AccessScope? {
        oneTime.removeAll { $0.expiry <= now }
        guard let index = oneTime.firstIndex(where: { SecretText.isEqual($0.token, token) }) else { return nil }
        return oneTime.remove(at: index).scope
    }

    // MARK: Cookies

    /// Returns the value of a new cookie: the scope, the time of its end, a random number and the signature.
    ///
    /// The signature includes the name, which names the port.
    func cookie(_ scope: AccessScope, named name: String, now: Int) -> (value: String, maximumAge: Int) {
        let payload = "\(scope.rawValue).\(now + cookieSeconds).\(SecretText.make().prefix(16))"
        return ("\(payload).\(signature(of: payload, name))", cookieSeconds)
    }

    /// Returns the scope of a cookie, or nil if the gateway did not make it or its time is over.
    func scope(ofCookie value: String, named name: String, now: Int) -> AccessScope? {
        guard let dot = value.lastIndex(of: ".") else { return nil }
        let payload = value[..<dot]
        guard SecretText.isEqual(signature(of: String(payload), name), String(value[value.index(after: dot)...])) else {
            return nil
        }
        let parts = payload.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let expiry = Int(parts[1]), now < expiry else { return nil }
        return AccessScope(rawValue: String(parts[0]))
    }

    private func signature(of payload: String, _ name: String) -> String {
        HMAC.code(for: Array("\(name)=\(payload)".utf8), key: key).hexadecimal
    }
}
