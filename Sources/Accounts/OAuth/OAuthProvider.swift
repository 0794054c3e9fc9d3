package import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import Synchronization
package import ViewModelKit
import ViewModelProtocol
import ViewModelStorage

/// A provider that uses an OAuth 2.0 or OpenID server, found by its issuer's address.
package final class OAuthProvider: AccountProvider {
    private let configuration: OAuthConfiguration
    private let issuer: String
    let transport: any HTTPExchange
    private let messages: String?
    private let known = Mutex<OAuthMetadata?>(nil)

    /// Creates a provider, which discovers the endpoints when it first needs them.
    package convenience init(configuration: OAuthConfiguration, timeout: Duration) throws {
        try self.init(configuration: configuration, over: HTTPTransport(timeout: timeout))
    }

    /// Creates a provider over a transport.
    ///
    /// `transport` is evaluated only after the addresses are checked, because each transport must be shut down.
    init(configuration: OAuthConfiguration, over transport: @autoclosure () -> any HTTPExchange) throws {
        issuer = configuration.issuer ?? ""
        _ = try WebAddress(issuer).base
        messages = try configuration.messagesURL.map { try WebAddress($0).base }
        self.configuration = configuration
        self.transport = transport()
    }

    /// The text `oauth` and the issuer, so that a token is never sent to another issuer.
    package var name: String { "oauth \(issuer)" }

    /// Offers the device grant, and passwords if the configuration allows them.
    package var features: AccountFeatures {
        AccountFeatures(password: configuration.passwordGrant, device: true)
    }

    /// Exchanges a password for a token (RFC 6749, section 4.3).
    package func signIn(_ account: String, password: Password, for uid: UInt32) async throws -> SignIn {
        guard configuration.passwordGrant else {
            throw AccountError(.unsupported, "Signing in by a password is not offered here")
        }
        let metadata = try await metadata()
        let answer = try await post(
            metadata.tokenEndpoint,
            [
                ("grant_type", "password"), ("username", account), ("password", password.revealed),
                ("scope", configuration.scopes),
            ],
            metadata
        )
        if let refusal = answer.oauthRefusal {
            let kind = refusal.error == "invalid_grant" ? AccountError.Kind.invalidCredentials : .rejected
            throw AccountError(kind, refusal.description)
        }
        return try await signedIn(try tokenAnswer(answer), as: account)
    }

    /// Fetches the page from the `userinfo` endpoint.
    ///
    /// Without that endpoint the page has only the account's name.
    package func page(_ token: VaultToken, etag: String?) async throws -> PageResult {
        guard let endpoint = try await metadata().userinfoEndpoint else {
            return .page(AccountPage(account: token.account), etag: nil)
        }
        var request = HTTPClientRequest(url: endpoint)
        request.setAccepted()
        request.authorize(with: token)
        if let etag { request.headers.add(name: "If-None-Match", value: etag) }
        let answer = try await transport.send(request)
        if answer.status == .notModified, etag != nil { return .unchanged }
        let refusal = answer.oauthRefusal
        if answer.status == .unauthorized || answer.status == .forbidden || answer.isSuccess && refusal != nil {
            throw AccountError(.signedOut, refusal?.description ?? "The provider asks to sign in again")
        }
        guard answer.isSuccess, let user: UserInfo = answer.decoded() else { throw answer.unusable }
        return .page(user.page, etag: answer.entityTag)
    }

    /// Exchanges the refresh token for a new token (RFC 6749, section 6).
    package func refresh(_ token: VaultToken) async throws -> VaultToken? {
        guard let refresh = token.refresh else { return nil }
        let metadata = try await metadata()
        let answer = try await post(
            metadata.tokenEndpoint,
            [("grant_type", "refresh_token"), ("refresh_token", refresh.revealed)],
            metadata
        )
        if let refusal = answer.oauthRefusal { throw AccountError(.signedOut, refusal.description) }
        return try tokenAnswer(answer).token(for: token.account, former: refresh)
    }

    /// Revokes the refresh token and the access token in up to three attempts each (RFC 7009).
    package func revoke(_ token: VaultToken) async {
        guard let metadata = try? await metadata(), let endpoint = metadata.revocationEndpoint else { return }
        let tokens = [(token.refresh, "refresh_token"), (token.access, "access_token")]
        for case (let secret?, let hint) in tokens {
            let fields = [("token", secret.revealed), ("token_type_hint", hint)]
            await transport.sendUntilAnswered { configuration.form(endpoint, fields, metadata) }
        }
    }

    /// Sends `POST /messages` to the configured backend with the provider's token.
    package func deliver(_ text: String, key: String, with token: VaultToken) async throws {
        guard let messages else {
            throw AccountError(.rejected, "No backend for messages is configured (account.url)")
        }
        try await transport.deliver(text, key: key, with: token, to: messages)
    }

    package func shutDown() async {
        await transport.shutDown()
    }

    // MARK: Shared

    func metadata() async throws -> OAuthMetadata {
        if let known = known.withLock({ $0 }) { return known }
        let found = try await OAuthMetadata.discover(issuer, over: transport)
        known.withLock { $0 = found }
        return found
    }

    func signedIn(_ answer: TokenResponse, as account: String?) async throws -> SignIn {
        var token = answer.token(for: account ?? "")
        let answer: PageResult
        do {
            answer = try await self.page(token, etag: nil)
        } catch let error as AccountError where error.kind == .signedOut {
            // The provider rejects a token that it has just issued: the sign-in failed, and the user was not signed in.
            throw AccountError(.rejected, error.description)
        }
        guard case .page(let page, let etag) = answer else {
            throw AccountError(.unreachable, "The provider's answer makes no sense")
        }
        guard !page.account.isBlank else {
            throw AccountError(.rejected, "The provider does not say who signed in (userinfo_endpoint)")
        }
        token.account = page.account
        return SignIn(token: token, page: page, etag: etag)
    }

    func tokenAnswer(_ answer: HTTPResponse) throws -> TokenResponse {
        guard answer.isSuccess, let token: TokenResponse = answer.decoded(),
            token.tokenType.lowercased() == "bearer"
        else { throw answer.unusable }
        return token
    }

    private func post(
        _ endpoint: String,
        _ fields: [(String, String)],
        _ metadata: OAuthMetadata
    ) async throws -> HTTPResponse {
        try await transport.send(configuration.form(endpoint, fields, metadata))
    }
}

/// The device authorization grant (RFC 8628).
extension OAuthProvider {
    private static var grantType: String { "urn:ietf:params:oauth:grant-type:device_code" }

    /// Requests a code that the person types on another device.
    package func beginDevice() async throws -> DeviceGrant {
        let metadata = try await metadata()
        guard let endpoint = metadata.deviceAuthorizationEndpoint else {
            throw AccountError(.unsupported, "The provider does not offer signing in on another device")
        }
        let answer = try await post(endpoint, [("scope", configuration.scopes)], metadata)
        if let refusal = answer.oauthRefusal { throw AccountError(.rejected, refusal.description) }
        guard answer.isSuccess, let device: DeviceAuthorization = answer.decoded() else { throw answer.unusable }
        return device.grant
    }

    /// Polls the token endpoint for the person's decision.
    package func poll(_ grant: DeviceGrant) async throws -> DeviceGrantStatus {
        let expired = AccountError(.rejected, "The code has expired")
        guard grant.prompt.expiresAt > Date() else { throw expired }
        let metadata = try await metadata()
        let fields = [("grant_type", Self.grantType), ("device_code", grant.code.revealed)]
        let answer = try await post(metadata.tokenEndpoint, fields, metadata)
        if answer.status == .tooManyRequests { return .slowDown }
        if let refusal = answer.oauthRefusal {
            switch refusal.error {
            case "authorization_pending": return .pending
            case "slow_down": return .slowDown
            case "expired_token": throw expired
            case "access_denied":
                throw AccountError(.rejected, refusal.errorDescription?.text ?? "The sign-in was denied")
            default: throw AccountError(.rejected, refusal.description)
            }
        }
        return .granted(try await signedIn(try tokenAnswer(answer), as: nil))
    }
}

/// The configuration of the daemon as a client of an OAuth provider.
package struct OAuthConfiguration: Equatable, Sendable {
    /// The defaults.
    package static let standard = OAuthConfiguration()

    /// The issuer's address, from which the endpoints are discovered: `http` or `https`.
    ///
    /// A provider needs it, and ``clientID``.
    package var issuer: String?
    package var clientID: String?
    /// The client's secret; nil for a public client.
    package var clientSecret: Password?
    /// The requested OAuth scopes, separated by single spaces (RFC 6749, section 3.3).
    package var scopes = "openid profile offline_access"
    /// Whether the password grant is allowed.
    package var passwordGrant = false
    /// The address of the backend that accepts messages; nil without one.
    package var messagesURL: String?

    /// Returns the POST request of a form with the client's credentials (RFC 6749, section 2.3.1).
    package func form(
        _ endpoint: String,
        _ fields: [(String, String)],
        _ metadata: OAuthMetadata
    ) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: endpoint)
        var fields = fields
        let clientID = clientID ?? ""
        if let secret = clientSecret?.revealed {
            if metadata.wantsSecretInForm {
                fields += [("client_id", clientID), ("client_secret", secret)]
            } else {
                let pair = "\(clientID.formEncoded):\(secret.formEncoded)"
                let code = Data(pair.utf8).base64EncodedString()
                request.headers.add(name: "Authorization", value: "Basic \(code)")
            }
        } else {
            fields.append(("client_id", clientID))
        }
        request.setForm(fields)
        return request
    }
}
