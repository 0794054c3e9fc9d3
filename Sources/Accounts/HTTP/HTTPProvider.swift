import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
package import ViewModelKit
import ViewModelProtocol
import ViewModelStorage

/// A provider that uses a JSON API: `POST /login`, `/auto_login`, `/logout`, `/messages`.
package final class HTTPProvider: AccountProvider {
    private let url: String
    private let transport: any HTTPExchange

    package convenience init(url: String, timeout: Duration) throws {
        try self.init(url: url, over: HTTPTransport(timeout: timeout))
    }

    /// Creates a provider over a transport.
    ///
    /// `transport` is evaluated only after the address is checked, because each transport must be shut down.
    init(url: String, over transport: @autoclosure () -> any HTTPExchange) throws {
        self.url = try WebAddress(url).base
        self.transport = transport()
    }

    /// The text `http` and the backend's address, so that a token is never sent to another backend.
    package var name: String { "http \(url)" }

    package var features: AccountFeatures { AccountFeatures(password: true) }

    /// Sends `POST /login` once, because it is not safe to repeat.
    package func signIn(_ account: String, password: Password, for uid: UInt32) async throws -> SignIn {
        var request = HTTPClientRequest(posting: url + "/login")
        try request.setJSON(["account": account, "password": password.revealed])
        let answer = try await transport.send(request)
        if answer.status == .unauthorized {
            throw AccountError(.invalidCredentials, answer.refusal ?? "The account or the password is wrong")
        }
        if let refusal = answer.refusal, answer.isDecision {
            throw AccountError(.rejected, refusal)
        }
        if answer.isRefused {
            throw AccountError(.rejected, "The backend refused to sign in (\(answer.status.code))")
        }
        guard answer.isSuccess, let login: LoginResponse = answer.decoded() else { throw answer.unusable }
        let token = VaultToken(
            access: Password(login.token.rawValue),
            expiresAt: login.expiresIn.map { Date(tokenLifetime: $0) },
            account: login.autoLogin.page.account
        )
        return SignIn(token: token, page: login.autoLogin.page)
    }

    /// Sends `POST /auto_login` once; the caller decides about a repetition.
    package func page(_ token: VaultToken, etag: String?) async throws -> PageResult {
        var request = HTTPClientRequest(posting: url + "/auto_login", token)
        if let etag { request.headers.add(name: "If-None-Match", value: etag) }
        let answer = try await transport.send(request)
        if answer.status == .notModified, etag != nil { return .unchanged }
        let refusal = answer.refusal
        if answer.status == .unauthorized || answer.status == .forbidden
            || refusal != nil && answer.isDecision
        {
            throw AccountError(.signedOut, refusal ?? "The backend asks to sign in again")
        }
        guard answer.isSuccess, let page: PageResponse = answer.decoded(), page.status == "ok",
            let user = page.autoLogin
        else { throw answer.unusable }
        return .page(user.page, etag: answer.entityTag)
    }

    /// Sends `POST /logout` in up to three attempts, because it is safe to repeat.
    package func revoke(_ token: VaultToken) async {
        await transport.sendUntilAnswered { HTTPClientRequest(posting: url + "/logout", token) }
    }

    /// Sends `POST /messages` once.
    ///
    /// An answer `{status: "error"}` is a refusal with any status, as it is for the other requests.
    package func deliver(_ text: String, key: String, with token: VaultToken) async throws {
        try await transport.deliver(text, key: key, with: token, to: url)
    }

    package func shutDown() async {
        await transport.shutDown()
    }
}

extension HTTPExchange {
    /// Sends `POST /messages` to a backend once.
    func deliver(_ text: String, key: String, with token: VaultToken, to url: String) async throws {
        var request = HTTPClientRequest(posting: url + "/messages", token)
        request.headers.add(name: "Idempotency-Key", value: key)
        try request.setJSON(["text": text])
        let answer = try await send(request)
        switch answer.status.code {
        case 200..<300:
            // With `oauth`, the backend may refuse in the form of OAuth.
            if let refusal = answer.refusal ?? answer.oauthRefusal?.description {
                throw AccountError(.rejected, refusal)
            }
        case 401: throw AccountError(.signedOut, answer.refusal ?? "The backend asks to sign in again")
        case 300..<500:
            throw AccountError(.rejected, answer.refusal ?? "The backend refused the message (\(answer.status.code))")
        default: throw answer.unusable
        }
    }

    /// Sends a request that is safe to repeat in up to three attempts, until the backend has answered it.
    func sendUntilAnswered(_ request: () -> HTTPClientRequest) async {
        var backoff = Backoff(initial: .milliseconds(200), maximum: .seconds(1))
        for attempt in 1...3 {
            if let answer = try? await send(request()), answer.status.code < 500 { return }
            guard attempt < 3, (try? await Task.sleep(for: backoff.delay())) != nil else { return }
        }
    }
}
