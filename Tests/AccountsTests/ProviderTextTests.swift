import AsyncHTTPClient
import Foundation
import NIOHTTP1
import Synchronization
import TestSupport
import Testing
import ViewModelKit
import ViewModelStorage

@testable import Accounts

/// Texts of providers that are too long, or that no client should show.
@Suite(.timeLimit(.minutes(5))) struct `The texts of a provider` {
    private static let long = String(repeating: "a", count: 70_000)

    private static func login(_ user: String = #"{"account": "ada"}"#) -> Backend.Reply {
        .json(#"{"token": "t", "auto_login": \#(user)}"#)
    }

    /// Runs a test with an OAuth provider whose other answers are these.
    private static func withOAuth(
        _ answer: @escaping @Sendable (Backend.Request) -> Backend.Reply,
        _ body: @escaping (AccountFixture) async throws -> Void
    ) async throws {
        let server = try await Backend { request in
            guard request.path.hasPrefix("/.well-known/openid") else { return answer(request) }
            let url = "http://\(request.headers["Host"].first ?? "")"
            return .json(
                #"""
                {"issuer": "\#(url)", "token_endpoint": "\#(url)/token", "device_authorization_endpoint": "\#(url)/device",
                "userinfo_endpoint": "\#(url)/user"}
                """#
            )
        }
        let configuration = OAuthConfiguration(issuer: server.url, clientID: "daemon")
        try await AccountFixture.with(
            { _ in try OAuthProvider(configuration: configuration, timeout: .seconds(60)) },
            body
        )
        await server.stop()
    }

    @Test func `a token is visible ASCII, as a header needs it`() {
        #expect(AccessToken(rawValue: "!~")?.rawValue == "!~")
        #expect(AccessToken(rawValue: "") == nil)
        for character in [" ", "\n", "\u{7F}", "\u{E9}"] { #expect(AccessToken(rawValue: "a\(character)b") == nil) }
    }

    // MARK: Lengths

    @Test(arguments: ["access_token", "refresh_token"])
    func `a token of an OAuth provider that is too long is not used`(name: String) async throws {
        try await Self.withOAuth { request in
            let text =
                request.path == "/device"
                ? #"{"device_code": "d", "user_code": "U", "verification_uri": "http://x/", "expires_in": 60}"#
                : #"{"access_token": "a", "refresh_token": "r", "token_type": "Bearer"}"#
            return .json(text.replacing(#""\#(name)": ""#, with: #""\#(name)": "\#(Self.long)"#))
        } _: { fixture in
            let grant = try await fixture.accounts[AccountFixture.ada].beginDevice()
            let error = try await failure { _ = try await fixture.accounts[AccountFixture.ada].poll(grant) }
            #expect(error.kind == .unreachable)
            fixture.accounts[AccountFixture.ada].endDevice(grant)
            #expect(fixture.snapshot().state == .signedOut)
        }
    }

    @Test func `a stored token that is too long is removed when it is loaded`() async throws {
        let backend = try await Backend { _ in .json("{}") }
        let token = VaultToken(access: Password(Self.long), account: "ada")
        try await AccountFixture.with(backend) { fixture in
            let provider = fixture.accounts.provider.name
            try await fixture.store.vault.store(token, of: AccountFixture.ada, provider: provider)
            await fixture.accounts.prepare(AccountFixture.ada)
            #expect(fixture.snapshot().state == .signedOut)
            #expect(try await failure { try await fixture.deliver() }.kind == .signedOut)
            #expect(try await fixture.token() == nil)
            #expect(backend.requests.isEmpty)
        }
    }

    @Test(arguments: ["Authorization", "Idempotency-Key", "If-None-Match"])
    func `no request has more than 32 KiB of headers`(header: String) async throws {
        let backend = try await Backend { _ in .json("{}") }
        let transport = HTTPTransport(timeout: .seconds(60))
        func send(_ length: Int) async throws {
            var request = HTTPClientRequest(url: backend.url)
            request.method = .POST
            request.headers.add(name: header, value: String(repeating: "a", count: length))
            request.body = .bytes([UInt8](repeating: 0, count: 100_000))
            _ = try await transport.send(request)
        }
        try await send(16_000)
        for length in [33_000, 65_000, 100_000] {
            #expect(try await failure { try await send(length) }.kind == .rejected)
        }
        #expect(backend.requests.count == 1)
        await transport.shutDown()
        await backend.stop()
    }

    // MARK: Addresses and codes

    private static func canDecode(_ text: String) -> Bool {
        HTTPResponse(status: .ok, headers: [:], body: Array(text.utf8)).decoded(DeviceAuthorization.self) != nil
    }

    @Test(arguments: [
        "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//x/y", "ftp://x/", "https://u:p@x/",
        "https://x/\\u0000", "https://x/\\u202e", "https://x/" + String(repeating: "a", count: 2048),
    ])
    func `an address that no client should open is not shown`(address: String) async throws {
        let start = #"{"device_code": "d", "user_code": "U", "expires_in": 9, "verification_uri": "#
        #expect(!Self.canDecode(start + #""\#(address)"}"#))
        #expect(!Self.canDecode(start + #""https://x/", "verification_uri_complete": "\#(address)"}"#))
        #expect(Self.canDecode(start + #""https://x/", "verification_uri_complete": "http://x/?code=U"}"#))
        let backend = try await Backend { _ in Self.login(#"{"account": "ada", "headimg": "\#(address)"}"#) }
        try await AccountFixture.with(backend) { fixture in
            try await fixture.signIn()
            #expect(fixture.snapshot().page == AccountPage(account: "ada"))
        }
    }

    @Test(arguments: ["device_code", "user_code"])
    func `a code that is too long is refused`(name: String) {
        let good = #"{"device_code": "", "user_code": "U", "verification_uri": "https://x/", "expires_in": 9}"#
        #expect(Self.canDecode(good))
        #expect(!Self.canDecode(good.replacing(#""\#(name)": ""#, with: #""\#(name)": "\#(Self.long)"#)))
    }

    // MARK: Characters

    @Test func `texts are shown on one line, without control characters`() async throws {
        let user = #"""
            {"account": "ada", "nickname": "A\u001b[31m\nda\u202e", "user_mobile_mask": "1\u0000\u009b2",
            "balance": "1\u2028", "coupon_num": "\u2066x"}
            """#
        try await AccountFixture.with(try await Backend { _ in Self.login(user) }) { fixture in
            try await fixture.signIn()
            let details = ["user_mobile_mask": "1  2", "balance": "1 ", "coupon_num": "x"]
            let page = AccountPage(account: "ada", nickname: "A [31m da", details: details)
            #expect(fixture.snapshot().page == page)
        }
        for text in ["", "Zoë", "👩‍👩‍👧", "سلام\u{200F}", String(repeating: "ä", count: 500)] { #expect(text.shown == text) }
    }

    // MARK: Refusals and failures of the transport

    @Test func `an OAuth provider that answers 200 with an error is understood`() async throws {
        let error = Mutex("server_error")
        try await Self.withOAuth { _ in
            .json(#"{"error": "\#(error.withLock { $0 })"}"#)
        } _: { fixture in
            let provider = fixture.accounts.provider
            let token = VaultToken(access: Password("a"), refresh: Password("r"), account: "ada")
            let refused = try await failure { _ = try await fixture.accounts[AccountFixture.ada].beginDevice() }
            #expect(refused.kind == .rejected)
            #expect(try await failure { _ = try await provider.page(token, etag: nil) }.kind == .signedOut)
            #expect(try await failure { _ = try await provider.refresh(token) }.kind == .signedOut)
            error.withLock { $0 = "authorization_pending" }
            #expect("\(try await provider.poll(.sample()))" == "pending")
        }
    }

    @Test func `a backend that cannot be reached is named with the remedy`() async throws {
        let backend = try await Backend { _ in .json("{}") }
        let url = backend.url
        await backend.stop()
        let transport = HTTPTransport(timeout: .seconds(60))
        let unknown = "http://no-such-host.invalid:81"
        for (origin, reason) in [(url, "Connection refused"), (unknown, "its name was not found")] {
            let error = try await failure {
                _ = try await transport.send(HTTPClientRequest(url: origin + "/login?x=y"))
            }
            #expect(error.kind == .unreachable)
            #expect(error.description.hasPrefix("The backend \(origin) cannot be reached: \(reason). "), "\(error)")
            #expect(!error.description.contains("x=y"))
        }
        await transport.shutDown()
    }
}
