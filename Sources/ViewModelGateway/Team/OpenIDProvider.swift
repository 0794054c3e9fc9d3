import Accounts
import AsyncHTTPClient
import Foundation
import JSONRPC
import JWTKit
import NIOHTTP1

/// The OpenID provider at which people sign in.
///
/// Its errors are `AccountError`: `unreachable` if the same request may succeed later, `signedOut` if the person has to
/// sign in again, and `rejected` otherwise.
actor OpenIDProvider {
    /// The tokens of a person who is signed in.
    struct Tokens: Codable, Equatable, Sendable {
        var access: String
        /// The end of the access token, in seconds since 1970.
        var accessEnd: Int
        var refresh: String?
    }

    /// The seconds by which the clocks of the provider and of the gateway may differ.
    static let clockSkew = 60
    /// The seconds for which metadata and keys are used.
    private static let metadataSeconds = 3600
    private static let keySeconds = 600
    /// The least seconds between two requests for the keys, whatever tokens are sent and whether the first one failed.
    private static let leastKeySeconds = 10
    /// The lifetime of an access token without one, in seconds.
    private static let standardSeconds = 300

    let configuration: OAuthConfiguration
    private let transport: any HTTPExchange
    private let now: @Sendable () -> Int
    private var known: (metadata: OAuthMetadata, end: Int)?
    private var discovery: Task<OAuthMetadata, any Error>?
    private var keys: [JWK] = []
    private var keysEnd = 0
    private var keyRequest: (task: Task<[JWK], any Error>, began: Int)?

    init(_ configuration: OAuthConfiguration, over transport: any HTTPExchange, now: @escaping @Sendable () -> Int) {
        (self.configuration, self.transport, self.now) = (configuration, transport, now)
    }

    func shutDown() async { await transport.shutDown() }

    /// Returns the provider's metadata, which are requested once an hour.
    ///
    /// - Throws: `AccountError` without valid metadata, or without an endpoint that the gateway needs.
    @discardableResult
    func metadata() async throws -> OAuthMetadata {
        if let known, known.end > now() { return known.metadata }
        let issuer = configuration.issuer ?? ""
        let discovery = discovery ?? Task { try await OAuthMetadata.discover(issuer, over: transport, isOpenID: true) }
        self.discovery = discovery
        defer { self.discovery = nil }
        let metadata = try await discovery.value
        let needed = [
            ("authorization_endpoint", metadata.authorizationEndpoint), ("jwks_uri", metadata.jwksUri),
            ("userinfo_endpoint", metadata.userinfoEndpoint),
        ]
        for (name, address) in needed where address == nil {
            throw AccountError(.unreachable, "The provider's metadata have no \(name)")
        }
        known = (metadata, now() + Self.metadataSeconds)
        return metadata
    }

    // MARK: Signing in

    /// Returns the address at which a person signs in.
    ///
    /// With `asksAgain` the provider shows its login page in any case (OpenID Connect Core 1.0, section 3.1.2.1).
    func signInAddress(_ pending: PendingSignIn, redirect: String, asksAgain: Bool) async throws -> String {
        let endpoint = try await metadata().authorizationEndpoint ?? ""
        let scopes = configuration.scopes.split(separator: " ")
        let fields = [
            ("response_type", "code"), ("client_id", configuration.clientID ?? ""), ("redirect_uri", redirect),
            ("scope", (scopes.contains("openid") ? scopes : ["openid"] + scopes).joined(separator: " ")),
            ("state", pending.state), ("nonce", pending.nonce), ("code_challenge", pending.challenge),
            ("code_challenge_method", "S256"),
        ]
        return Self.address(endpoint, fields + (asksAgain ? [("prompt", "login")] : []))
    }

    /// Returns the address at which a person signs out of the provider; nil if it has none.
    ///
    /// The hint is the ID token of the sign-in.
    func signOutAddress(redirect: String, hint: String?) async -> String? {
        guard let endpoint = try? await metadata().endSessionEndpoint else { return nil }
        let fields = [("client_id", configuration.clientID ?? ""), ("post_logout_redirect_uri", redirect)]
        return Self.address(endpoint, fields + (hint.map { [("id_token_hint", $0)] } ?? []))
    }

    private static func address(_ endpoint: String, _ fields: [(String, String)]) -> String {
        let query = fields.map { "\($0)=\($1.formEncoded)" }.joined(separator: "&")
        return endpoint + (endpoint.contains("?") ? "&" : "?") + query
    }

    /// Exchanges a code for tokens, and returns them with the ID token.
    func exchange(
        _ code: String,
        of pending: PendingSignIn,
        redirect: String
    ) async throws -> (tokens: Tokens, idToken: SignedToken) {
        let fields = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect),
            ("code_verifier", pending.verifier),
        ]
        let answer = try await token(fields)
        if let refusal = answer.oauthRefusal { throw AccountError(.rejected, refusal.description) }
        let tokens = try decoded(answer)
        guard let text = tokens.idToken?.rawValue else {
            throw AccountError(.rejected, "The provider sent no ID token")
        }
        let idToken = try await claims(of: text, for: configuration.clientID ?? "")
        // Only a logout token may have a session and no subject.
        guard idToken.claims["nonce"]?.stringValue == pending.nonce, idToken.claims["sub"] != nil else {
            throw AccountError(.rejected, "The ID token is for another sign-in")
        }
        return (self.tokens(tokens), idToken)
    }

    private func token(_ fields: [(String, String)]) async throws -> HTTPResponse {
        let metadata = try await metadata()
        return try await transport.send(configuration.form(metadata.tokenEndpoint, fields, metadata))
    }

    private func decoded(_ answer: HTTPResponse) throws -> TokenResponse {
        guard answer.isSuccess, let tokens: TokenResponse = answer.decoded(), tokens.tokenType.lowercased() == "bearer"
        else { throw answer.unusable }
        return tokens
    }

    private func tokens(_ answer: TokenResponse, after former: Tokens? = nil) -> Tokens {
        let seconds = answer.expiresIn.flatMap { Int(exactly: $0.rounded()) } ?? Self.standardSeconds
        return Tokens(
            access: answer.accessToken.rawValue,
            accessEnd: now() + min(max(seconds, 0), 365 * 86_400),
            refresh: answer.refreshToken?.rawValue ?? former?.refresh
        )
    }

    // MARK: Signed-in people

    /// Asks the provider for the claims of a person, with fresh tokens if the former ones have ended.
    ///
    /// - Throws: `AccountError`: `signedOut` if the provider no longer accepts the tokens.
    func check(_ former: Tokens, of subject: String) async throws -> (tokens: Tokens, claims: JSONObject) {
        var tokens = former
        if tokens.accessEnd <= now() { tokens = try await refresh(tokens) }
        do {
            return (tokens, try await userinfo(tokens, of: subject))
        } catch let error as AccountError where error.kind == .signedOut && tokens == former {
            tokens = try await refresh(tokens)
            return (tokens, try await userinfo(tokens, of: subject))
        }
    }

    private func refresh(_ tokens: Tokens) async throws -> Tokens {
        guard let refresh = tokens.refresh else { throw AccountError(.signedOut, "The access token has ended") }
        let answer = try await token([("grant_type", "refresh_token"), ("refresh_token", refresh)])
        if let refusal = answer.oauthRefusal {
            throw AccountError(refusal.error == "invalid_grant" ? .signedOut : .unreachable, refusal.description)
        }
        return self.tokens(try decoded(answer), after: tokens)
    }

    private func userinfo(_ tokens: Tokens, of subject: String) async throws -> JSONObject {
        var request = HTTPClientRequest(url: try await metadata().userinfoEndpoint ?? "")
        request.headers.add(name: "Accept", value: "application/json")
        request.headers.add(name: "Authorization", value: "Bearer \(tokens.access)")
        let answer = try await transport.send(request)
        if [400, 401, 403].contains(answer.status.code) {
            throw AccountError(.signedOut, "The provider no longer accepts the access token")
        }
        guard answer.isSuccess, let claims = JSONValue(text: answer.body)?.objectValue else { throw answer.unusable }
        guard claims["sub"]?.stringValue == subject else {
            throw AccountError(.rejected, "The provider's userinfo is about another person")
        }
        return claims
    }

    /// Revokes the tokens of a person who signs out (RFC 7009).
    ///
    /// - Throws: `AccountError` if the provider has not revoked them all.
    func revoke(_ tokens: Tokens) async throws {
        let metadata = try await metadata()
        guard let endpoint = metadata.revocationEndpoint else {
            throw AccountError(.unsupported, "The provider's metadata have no revocation_endpoint")
        }
        let pairs = [(tokens.refresh, "refresh_token"), (tokens.access, "access_token")]
        let requests = pairs.compactMap { token, hint in
            token.map { configuration.form(endpoint, [("token", $0), ("token_type_hint", hint)], metadata) }
        }
        // One that fails does not cancel the other one.
        let tasks = requests.map { [transport] request in Task { try await transport.send(request) } }
        for task in tasks {
            let answer = try await task.value
            guard answer.isSuccess else { throw answer.unusable }
        }
    }

    // MARK: Tokens with a signature

    /// Verifies a token, and returns it.
    ///
    /// The times are those of the token, give or take ``clockSkew``.
    ///
    /// - Throws: `AccountError` `rejected` for a token that is not valid for the audience now.
    func claims(of text: String, for audience: String) async throws -> SignedToken {
        guard let token = SignedToken(text) else { throw AccountError(.rejected, "The token is malformed") }
        try await verify(token)
        let (claims, issuer, now) = (token.claims, try await metadata().issuer, now())
        let audiences = claims["aud"]?.arrayValue?.map(\.stringValue) ?? [claims["aud"]?.stringValue]
        // Only an ID token, whose audience is the client, says that it is for one of several audiences.
        let isForParty = claims["azp"].map { $0.stringValue == audience } ?? (audiences.count == 1)
        let isForAudience = audiences.contains(audience) && (audience != configuration.clientID || isForParty)
        guard claims["iss"]?.stringValue == issuer, isForAudience else {
            throw AccountError(.rejected, "The token is for another issuer or audience")
        }
        let (earliest, latest) = (Double(now - Self.clockSkew), Double(now + Self.clockSkew))
        guard let end = claims["exp"]?.doubleValue, let issued = claims["iat"]?.doubleValue, end > earliest,
            issued <= latest, claims["nbf"].map({ $0.doubleValue ?? .infinity }) ?? 0 <= latest
        else { throw AccountError(.rejected, "The token has ended or is not valid yet. Compare the clocks") }
        guard let subject = (claims["sub"] ?? claims["sid"])?.stringValue, !subject.isEmpty else {
            throw AccountError(.rejected, "The token names no subject")
        }
        return token
    }

    /// Verifies the signature, with keys that are requested again if they are old or none of them signed the token.
    private func verify(_ token: SignedToken) async throws {
        if keysEnd > now(), await token.isSigned(byOneOf: keys) { return }
        guard await token.isSigned(byOneOf: try await newKeys()) else {
            throw AccountError(.rejected, "The signature of the token is not valid")
        }
    }

    /// Returns the result of the last request for the keys, or of another one if that is some seconds old.
    private func newKeys() async throws -> [JWK] {
        if let keyRequest, keyRequest.began + Self.leastKeySeconds > now() { return try await keyRequest.task.value }
        let task = Task { try await requestKeys() }
        keyRequest = (task, now())
        return try await task.value
    }

    private func requestKeys() async throws -> [JWK] {
        var request = HTTPClientRequest(url: try await metadata().jwksUri ?? "")
        request.headers.add(name: "Accept", value: "application/json, application/jwk-set+json")
        let answer = try await transport.send(request)
        guard answer.isSuccess, let found = [JWK](set: answer.body) else { throw answer.unusable }
        (keys, keysEnd) = (found, now() + Self.keySeconds)
        return found
    }
}
