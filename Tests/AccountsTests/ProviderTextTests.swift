import AsyncHTTPClient
import Foundation
import NIOHTTP1
import TestSupport
import Testing
import ViewModelStorage

@testable import Accounts

/// Texts of providers that are too long, or that no client should show.
@Suite(.timeLimit(.minutes(5))) struct `The texts of a provider` {
    private static let long = String(repeating: "a", count: 70_000)

    private static func login(_ token: String, _ user: String = #"{"account": "ada"}"#) -> Backend.Reply {
        .json(#"{"token": "\#(token)", "auto_login": \#(user)}"#)
    }

    private static func oauth(_ url: String) throws -> OAuthProvider {
        try OAuthProvider(configuration: OAuthConfiguration(issuer: url, clientID: "daemon"), timeout: .seconds(60))
    }

    // MARK: Lengths

    @Test(arguments: [(16_384, true), (16_385, false), (70_000, false), (900_000, false)])
    func `a token has at most 16 KiB`(length: Int, isUsed: Bool) async throws {
        let backend = try await Backend { request in
            request.path == "/login" ? Self.login(String(repeating: "a", count: length)) : .json("{}")
        }
        try await AccountFixture.with(backend) { fixture in
            if isUsed {
                try await fixture.signIn()
                try await fixture.accounts.deliver("x", key: "k", of: AccountFixture.ada)
                #expect(backend.count("/messages") == 1)
            } else {
                let error = try await fixture.failure { try await fixture.signIn() }
                #expect(error.kind == .unreachable)
                #expect(fixture.accounts.snapshot(of: AccountFixture.ada).state == .signedOut)
            }
        }
    }

    @Test(arguments: ["access_token", "refresh_token"])
    func `a token of an OAuth provider that is too long is not used`(name: String) async throws {
        let server = try await Backend { request in
            switch request.path {
            case "/.well-known/openid-configuration": Self.metadata(request)
            case "/device":
                .json(
                    #"{"device_code": "d", "user_code": "U", "verification_uri": "http://x/", "expires_in": 60}"#
                )
            default:
                .json(
                    #"{"access_token": "a", "refresh_token": "r", "token_type": "Bearer"}"#
                        .replacing(#""\#(name)": ""#, with: #""\#(name)": "\#(Self.long)"#)
                )
            }
        }
        try await AccountFixture.with({ _ in try Self.oauth(server.url) }) { fixture in
            let grant = try await fixture.accounts.beginDevice(of: AccountFixture.ada)
            let error = try await fixture.failure { _ = try await fixture.accounts.poll(grant, of: AccountFixture.ada) }
            #expect(error.kind == .unreachable)
            fixture.accounts.endDevice(grant, of: AccountFixture.ada)
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).state == .signedOut)
        }
        await server.stop()
    }

    private static func metadata(_ request: Backend.Request) -> Backend.Reply {
        let url = "http://\(request.headers["Host"].first ?? "")"
        return .json(
            #"""
            {"issuer": "\#(url)", "token_endpoint": "\#(url)/token", "device_authorization_endpoint": "\#(url)/device",
            "userinfo_endpoint": "\#(url)/user"}
            """#
        )
    }

    @Test func `a stored token that is too long is removed when it is loaded`() async throws {
        let backend = try await Backend { _ in .json("{}") }
        let token = VaultToken(access: Secret(Self.long), account: "ada")
        try await AccountFixture.with(backend) { fixture in
            try await fixture.store.vault.store(
                token,
                of: AccountFixture.ada,
                provider: fixture.accounts.provider.name
            )
            await fixture.accounts.prepare(AccountFixture.ada)
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).state == .signedOut)
            let error = try await fixture.failure {
                try await fixture.accounts.deliver("x", key: "k", of: AccountFixture.ada)
            }
            #expect(error.kind == .signedOut)
            let left = try await fixture.store.vault.token(
                of: AccountFixture.ada,
                provider: fixture.accounts.provider.name
            )
            #expect(left == nil)
            #expect(backend.requests.isEmpty)
        }
    }

    @Test(arguments: ["Authorization", "Idempotency-Key", "If-None-Match"])
    func `no request has more than 32 KiB of headers`(header: String) async throws {
        let backend = try await Backend { _ in .json("{}") }
        let transport = HTTPTransport(timeout: .seconds(60))
        for (length, isSent) in [(16_000, true), (33_000, false), (65_000, false), (100_000, false)] {
            var request = HTTPClientRequest(url: backend.url)
            request.method = .POST
            request.headers.add(name: header, value: String(repeating: "a", count: length))
            request.body = .bytes([UInt8](repeating: 0, count: 100_000))
            let result: Result<HTTPResponse, any Error>
            do { result = .success(try await transport.send(request)) } catch { result = .failure(error) }
            switch result {
            case .success: #expect(isSent)
            case .failure(let error): #expect(!isSent && (error as? AccountError)?.kind == .rejected, "\(error)")
            }
        }
        #expect(backend.requests.count == 1)
        await transport.shutDown()
        await backend.stop()
    }

    @Test func `the version of a page that is too long is not sent back`() async throws {
        let backend = try await Backend { request in
            request.path == "/login"
                ? Self.login("t")
                : .json(#"{"status": "ok", "auto_login": {"account": "ada"}}"#, etag: "\"\(Self.long)\"")
        }
        try await AccountFixture.with(backend) { fixture in
            try await fixture.signIn()
            for _ in 0..<2 { _ = try await fixture.accounts.autoLogin(of: AccountFixture.ada) }
            #expect(backend.requests.allSatisfy { $0.headers["If-None-Match"].isEmpty })
        }
    }

    // MARK: Addresses

    @Test(arguments: [
        "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//x/y", "ftp://x/", "https://u:p@x/",
        "https://x/\\u0000", "https://x/\\u202e", "https://x/" + String(repeating: "a", count: 2048),
    ])
    func `an address that no client should open is not shown`(address: String) async throws {
        let start = #"{"device_code": "d", "user_code": "U", "expires_in": 9, "verification_uri": "#
        #expect(!Self.canDecode(start + #""\#(address)"}"#))
        #expect(!Self.canDecode(start + #""https://x/", "verification_uri_complete": "\#(address)"}"#))
        #expect(Self.canDecode(start + #""https://x/", "verification_uri_complete": "http://x/?code=U"}"#))
        let backend = try await Backend { _ in Self.login("t", #"{"account": "ada", "headimg": "\#(address)"}"#) }
        try await AccountFixture.with(backend) { fixture in
            try await fixture.signIn()
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).page == AccountPage(account: "ada"))
        }
    }

    @Test(arguments: ["device_code", "user_code"])
    func `a code that is too long is refused`(name: String) {
        let good = #"{"device_code": "", "user_code": "U", "verification_uri": "https://x/", "expires_in": 9}"#
        #expect(Self.canDecode(good))
        #expect(!Self.canDecode(good.replacing(#""\#(name)": ""#, with: #""\#(name)": "\#(Self.long)"#)))
    }

    private static func canDecode(_ text: String) -> Bool {
        (try? JSONDecoder().decode(DeviceAuthorization.self, from: Data(text.utf8))) != nil
    }

    // MARK: Characters

    @Test func `texts are shown on one line, without control characters`() async throws {
        let user = #"""
            {"account": "ada", "nickname": "A\u001b[31m\nda\u202e", "user_mobile_mask": "1\u0000\u009b2",
            "balance": "1\u2028", "coupon_num": "\u2066x"}
            """#
        let backend = try await Backend { _ in Self.login("t", user) }
        try await AccountFixture.with(backend) { fixture in
            try await fixture.signIn()
            let page = fixture.accounts.snapshot(of: AccountFixture.ada).page
            #expect(
                page == AccountPage(account: "ada", nickname: "A [31m da", phone: "1  2", balance: "1 ", coupons: "x")
            )
            backend.set { _ in .refusal(#"no\u001b]0;x\u0007\r\nway\u202e"#) }
            let error = try await fixture.failure { try await fixture.signIn() }
            #expect(error == AccountError(.rejected, "no ]0;x   way"))
        }
    }

    @Test func `a text without control characters stays as it is`() {
        for text in ["", "Zoë", "👩‍👩‍👧", "سلام\u{200F}", String(repeating: "ä", count: 500)] { #expect(text.shown == text) }
    }

    @Test(arguments: ["a\\nb", "a\\u001bb", "a\\u202eb", "a\\u0085b"])
    func `the name of an account with a control character is a bad answer`(name: String) async throws {
        let backend = try await Backend { _ in Self.login("t", #"{"account": "\#(name)"}"#) }
        try await AccountFixture.with(backend) { fixture in
            let error = try await fixture.failure { try await fixture.signIn() }
            #expect(error.kind == .unreachable)
        }
    }

    // MARK: Refusals

    @Test(arguments: [#""too rude""#, "7", "null", #"{"code": 1}"#])
    func `a message that is answered 200 with an error is refused`(text: String) async throws {
        let backend = try await Backend { _ in Self.login("t") }
        try await AccountFixture.with(backend) { fixture in
            try await fixture.signIn()
            for status in [HTTPResponseStatus.ok, .created] {
                backend.set { _ in .answer(status, #"{"status": "error", "error_desc": \#(text)}"#) }
                let error = try await fixture.failure {
                    try await fixture.accounts.deliver("x", key: "k", of: AccountFixture.ada)
                }
                #expect(error.kind == .rejected)
                #expect(text != #""too rude""# || error.description == "too rude")
            }
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).state == .signedIn)
        }
    }

    @Test func `an OAuth provider that answers 200 with an error is understood`() async throws {
        let server = try await Backend { request in
            request.path.hasPrefix("/.well-known/openid")
                ? Self.metadata(request) : .json(#"{"error": "server_error"}"#)
        }
        try await AccountFixture.with({ _ in try Self.oauth(server.url) }) { fixture in
            let refused = try await fixture.failure {
                _ = try await fixture.accounts.beginDevice(of: AccountFixture.ada)
            }
            #expect(refused.kind == .rejected)
            let provider = fixture.accounts.provider
            let token = VaultToken(access: Secret("a"), refresh: Secret("r"), account: "ada")
            let page = try await fixture.failure { _ = try await provider.page(token, etag: nil) }
            #expect(page.kind == .signedOut)
            let refresh = try await fixture.failure { _ = try await provider.refresh(token) }
            #expect(refresh.kind == .signedOut)
            let grant = DeviceGrant(
                prompt: DevicePrompt(
                    userCode: "U",
                    verificationUri: "http://x/",
                    verificationUriComplete: nil,
                    expiresAt: Date(timeIntervalSinceNow: 60)
                ),
                code: Secret("d")
            )
            server.set { request in
                request.path.hasPrefix("/.well-known/openid")
                    ? Self.metadata(request) : .json(#"{"error": "authorization_pending"}"#)
            }
            guard case .pending = try await provider.poll(grant) else {
                Issue.record("another answer")
                return
            }
        }
        await server.stop()
    }

    // MARK: Failures of the transport

    @Test func `a backend that cannot be reached is named with the remedy`() async throws {
        let backend = try await Backend { _ in .json("{}") }
        let url = backend.url
        await backend.stop()
        let transport = HTTPTransport(timeout: .seconds(60))
        let unknown = "http://no-such-host.invalid:81"
        for (origin, reason) in [(url, "Connection refused"), (unknown, "its name was not found")] {
            let error = await #expect(throws: AccountError.self) {
                try await transport.send(HTTPClientRequest(url: origin + "/login?x=y"))
            }
            let text = error?.description ?? ""
            #expect(error?.kind == .unreachable)
            #expect(text.hasPrefix("The backend \(origin) cannot be reached: \(reason). "), "\(text)")
            #expect(!text.contains("x=y"))
        }
        await transport.shutDown()
    }
}
