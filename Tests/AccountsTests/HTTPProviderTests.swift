import Foundation
import GRDB
import NIOHTTP1
import PostgresSupport
import TestSupport
import Testing
import ViewModelKit
import ViewModelStorage

@testable import Accounts

@Suite struct `Accounts behind a JSON API` {
    /// The members of the interface, and others that no client may see.
    static let user = #"""
        {"account": "ada", "nickname": "Ada", "headimg": null, "user_mobile_mask": "138****5678", "balance": "100", \#
        "coupon_num": "3", "user_mobile": "13812345678", "session_key": "k", "phone_number": "13812345678"}
        """#
    static let login = #"{"token": "t-1-secret", "auto_login": \#(user)}"#
    static let page = #"{"status": "ok", "auto_login": \#(user)}"#
    static let adasPage = AccountPage(
        account: "ada",
        nickname: "Ada",
        details: ["user_mobile_mask": "138****5678", "balance": "100", "coupon_num": "3"]
    )

    @Sendable static func good(_ request: Backend.Request) -> Backend.Reply {
        switch request.path {
        case "/login": .json(login)
        case "/auto_login": .json(page)
        default: .json("{}")
        }
    }

    @Test func `a page that an earlier release has cached keeps its texts`() throws {
        let cached = #"{"account":"ada","nickname":"Ada","phone":"138****5678","balance":"100","coupons":"3"}"#
        #expect(try JSONDecoder().decode(AccountPage.self, from: Data(cached.utf8)) == Self.adasPage)
        let now = try JSONEncoder().encode(Self.adasPage)
        #expect(try JSONDecoder().decode(AccountPage.self, from: now) == Self.adasPage)
    }

    // MARK: Signing in

    @Test func `a sign-in puts the token into the vault and shows the page, to its user only`() async throws {
        try await AccountFixture.with(try await Backend(Self.good)) { fixture in
            try await fixture.signIn()
            #expect(fixture.snapshot().state == .signedIn && !fixture.snapshot().isStale)
            #expect(fixture.snapshot().page == Self.adasPage)
            #expect(try await fixture.token()?.access.revealed == "t-1-secret")
            #expect(fixture.snapshot(of: AccountFixture.bob).state == .signedOut)
            #expect(try await fixture.autoLogin(of: AccountFixture.bob) == .noToken)
        }
    }

    private static func login(_ token: String, _ user: String = #"{"account": "ada"}"#) -> Backend.Reply {
        .json(#"{"token": "\#(token)", "auto_login": \#(user)}"#)
    }

    private static func account(_ name: String) -> Backend.Reply { login("t", #"{"account": "\#(name)"}"#) }

    private static func text(_ count: Int) -> String { String(repeating: "a", count: count) }

    /// What a backend answers, the kind of the error, and its text where the backend says one.
    static let failures: [(Backend.Reply, AccountError.Kind, String?)] = [
        (.refusal("no such pair", .unauthorized), .invalidCredentials, "no such pair"),
        (.refusal("blocked", .forbidden), .rejected, "blocked"),
        (.refusal(#"no\u001b]0;x\u0007\r\nway\u202e"#), .rejected, "no ]0;x   way"),
        // What makes no sense, or is too long.
        (.answer(.internalServerError), .unreachable, nil), (.answer(.serviceUnavailable), .unreachable, nil),
        (.refusal("too often", .tooManyRequests), .unreachable, nil),
        (.answer(.temporaryRedirect, headers: ["Location": "/elsewhere"]), .unreachable, nil),
        (.hangUp, .unreachable, nil), (.stall, .unreachable, nil),
        (.json("garbage"), .unreachable, nil), (.json("{}"), .unreachable, nil),
        (.json(String(repeating: " ", count: 2_000_000)), .unreachable, nil),
        (.json(#"{"token": 3}"#), .unreachable, nil),
        (login(#"a\r\nX-Evil: 1"#), .unreachable, nil), (login(text(16_385)), .unreachable, nil),
        (login(text(900_000)), .unreachable, nil),
        (account(""), .unreachable, nil), (account(" "), .unreachable, nil), (account(text(2049)), .unreachable, nil),
        (account(#"a\nb"#), .unreachable, nil), (account(#"a\u001bb"#), .unreachable, nil),
        (account(#"a\u202eb"#), .unreachable, nil), (account(#"a\u0085b"#), .unreachable, nil),
    ]

    @Test(arguments: failures.indices)
    func `a sign-in fails as the backend's answer says, after one request`(index: Int) async throws {
        let (reply, kind, text) = Self.failures[index]
        let backend = try await Backend { _ in reply }
        try await AccountFixture.with(backend, timeout: .seconds(10)) { fixture in
            let error = try await failure { try await fixture.signIn() }
            #expect(error.kind == kind && error.failure.retryable == (kind == .unreachable))
            if let text { #expect(error.description == text) }
            #expect(fixture.snapshot().state == .signedOut)
            #expect(backend.requests.map(\.path) == ["/login"])
        }
    }

    @Test func `of a long text the first 500 characters are kept, and a token has at most 16 KiB`() async throws {
        let text = String(repeating: "no ", count: 50_000)
        let page = #"""
            {"account": "ada", "nickname": "\#(text)", "headimg": "https://\#(text)", "user_mobile_mask": "\#(text)"}
            """#
        let backend = try await Backend { request in
            switch request.path {
            case "/login": Self.login(Self.text(16_384), page)
            case "/messages": .json("{}")
            default: .refusal(text, .unauthorized)
            }
        }
        try await AccountFixture.with(backend) { fixture in
            try await fixture.signIn()
            let shown = fixture.snapshot().page
            #expect(shown?.nickname == text.prefix(499) + "…")
            #expect(shown?.details["user_mobile_mask"]?.count == 500)
            #expect(shown?.avatar == nil)
            try await fixture.deliver()
            #expect(try await fixture.autoLogin() == .refused(text.prefix(499) + "…"))
            // A character may have any number of scalars.
            let combined = "a" + String(repeating: "\u{301}", count: 100_000)
            #expect(AccountError(.rejected, combined).description.utf8.count <= 1_003)
        }
    }

    // MARK: Auto-login

    @Test func `a good token signs in after a restart with one request, and only at its own backend`() async throws {
        let (backend, other) = (try await Backend(Self.good), try await Backend(Self.good))
        try await AccountFixture.with(backend) { fixture in
            #expect(try await fixture.autoLogin() == .noToken)
            #expect(backend.requests.isEmpty, "no request is sent without a token")
            try await fixture.signIn()
        } again: { fixture in
            let stranger = AccountService(
                provider: try HTTPProvider(url: other.url, timeout: .seconds(60)),
                store: fixture.store,
                logger: AccountFixture.logger
            )
            #expect(try await stranger.run { try await stranger[AccountFixture.ada].autoLogin() } == nil)
            #expect(other.requests.isEmpty)

            await fixture.accounts.prepare(AccountFixture.ada)
            #expect(fixture.snapshot().page == Self.adasPage && fixture.snapshot().isStale)
            #expect(try await fixture.autoLogin() == .signedIn(Self.adasPage))
            #expect(!fixture.snapshot().isStale)
            #expect(backend.count("/auto_login") == 1)
            #expect(backend.requests.last?.headers["Authorization"] == ["Bearer t-1-secret"])
        }
        await other.stop()
    }

    @Test(arguments: [HTTPResponseStatus.ok, .unauthorized])
    func `a token that is refused is removed`(status: HTTPResponseStatus) async throws {
        let backend = try await Backend(Self.good)
        try await AccountFixture.with(backend) { fixture in
            try await fixture.signIn()
            backend.set { _ in .refusal("too old", status) }
            #expect(try await fixture.autoLogin() == .refused("too old"))
            #expect(fixture.snapshot().state == .signedOut)
            #expect(try await fixture.token() == nil)
            #expect(try await fixture.autoLogin() == .noToken)
            #expect(backend.count("/auto_login") == 1)
        }
    }

    static let passing: [Backend.Reply] = [.answer(.badGateway), .refusal("too often", .tooManyRequests)]

    @Test(arguments: passing.indices)
    func `while the backend is down or busy what is remembered is shown as stale`(index: Int) async throws {
        let backend = try await Backend(Self.good)
        try await AccountFixture.with(backend) { fixture in
            try await fixture.signIn()
        } again: { fixture in
            backend.set { _ in Self.passing[index] }
            let error = try await failure { _ = try await fixture.autoLogin() }
            #expect(error.kind == .unreachable)
            #expect(fixture.snapshot().page == Self.adasPage)
            #expect(fixture.snapshot().isStale && fixture.snapshot().state == .signedIn)
            #expect(backend.count("/auto_login") == 1)
        }
    }

    @Test func `a request for a page sends the version of the known one`() async throws {
        let backend = try await Backend { request in
            if request.path == "/login" { return .json(Self.login) }
            let isKnown = request.headers["If-None-Match"] == ["\"v1\""]
            return isKnown ? .answer(.notModified) : .json(Self.page, etag: "\"v1\"")
        }
        try await AccountFixture.with(backend) { fixture in
            try await fixture.signIn()
            for _ in 0..<2 { #expect(try await fixture.autoLogin() == .signedIn(Self.adasPage)) }
            #expect(backend.requests.last?.headers["If-None-Match"] == ["\"v1\""])
        } again: { fixture in
            #expect(try await fixture.autoLogin() == .signedIn(Self.adasPage))
            #expect(backend.requests.last?.headers["If-None-Match"] == ["\"v1\""])
            // One that is too long is not sent back.
            backend.set { _ in .json(Self.page, etag: "\"\(Self.text(70_000))\"") }
            for _ in 0..<2 { _ = try await fixture.autoLogin() }
            #expect(backend.requests.last?.headers["If-None-Match"] == [])
        }
    }

    @Test(.enabled(if: !TestStore.isShared, "the test changes SQLite's file"))
    func `a page that cannot be cached is requested again in full`() async throws {
        let backend = try await Backend { request in
            if request.path == "/login" { return .json(Self.login) }
            if request.headers["If-None-Match"] == ["new"] { return .answer(.notModified) }
            return .json(Self.page.replacing(#""balance": "100""#, with: #""balance": "200""#), etag: "new")
        }
        try await AccountFixture.with(backend) { fixture in
            try await fixture.signIn()
            let file = try DatabaseQueue(path: "\(fixture.directory.path)/viewmodeld.sqlite")
            try await file.write {
                try $0.execute(sql: "CREATE TRIGGER full BEFORE INSERT ON cache BEGIN SELECT RAISE(ABORT, 'full'); END")
            }
            await #expect(throws: StoreError.self) { try await fixture.autoLogin() }
            #expect(fixture.snapshot().page?.details["balance"] == "100")
            try await file.write { try $0.execute(sql: "DROP TRIGGER full") }
            _ = try await fixture.autoLogin()
            #expect(fixture.snapshot().page?.details["balance"] == "200")
        }
    }

    // MARK: Signing out

    @Test func `signing out revokes the token, removes it and empties the cache`() async throws {
        let backend = try await Backend(Self.good)
        try await AccountFixture.with(backend) { fixture in
            try await fixture.signIn()
            try await fixture.accounts[AccountFixture.ada].signOut()
            #expect(fixture.snapshot().page == nil)
            #expect(try await fixture.token() == nil)
            #expect(try await fixture.store.cache.entry(of: AccountFixture.ada) == nil)
        }
        #expect(backend.count("/logout") == 1)
        #expect(backend.requests.last?.headers["Authorization"] == ["Bearer t-1-secret"])
    }

    // MARK: Messages

    @Test func `a message carries its key, and a 401 signs out`() async throws {
        let backend = try await Backend(Self.good)
        try await AccountFixture.with(backend) { fixture in
            try await fixture.signIn()
            try await fixture.deliver("hello", key: "k1")
            #expect(backend.requests.last?.headers["Idempotency-Key"] == ["k1"])
            #expect(backend.requests.last?.body == #"{"text":"hello"}"#)
            backend.set { _ in .refusal("too old", .unauthorized) }
            #expect(try await failure { try await fixture.deliver() }.kind == .signedOut)
            #expect(fixture.snapshot().state == .signedOut)
        }
    }

    private static func refused(_ text: String, _ status: HTTPResponseStatus = .ok) -> Backend.Reply {
        .answer(status, #"{"status": "error", "error_desc": \#(text)}"#)
    }

    /// What a backend answers to a message, and the text of the refusal where the backend says one.
    static let refusals: [(Backend.Reply, String?)] = [
        (.refusal("too long", .payloadTooLarge), "too long"), (refused(#""no""#), "no"),
        (refused(#""no""#, .created), "no"), (.json(#"{"error":"e","error_description":"no"}"#), "no"),
        (refused("7"), nil), (refused("null"), nil), (refused(#"{"code": 1}"#), nil), (refused("7", .created), nil),
    ]

    @Test func `a message that is refused is rejected, and a failing backend says when to come back`() async throws {
        let backend = try await Backend(Self.good)
        try await AccountFixture.with(backend) { fixture in
            try await fixture.signIn()
            for (reply, text) in Self.refusals {
                backend.set { _ in reply }
                let error = try await failure { try await fixture.deliver() }
                #expect(error.kind == .rejected && (text == nil || error.description == text), "\(reply)")
            }
            backend.set { _ in .answer(.serviceUnavailable, headers: ["Retry-After": "7"]) }
            #expect(try await failure { try await fixture.deliver() }.retryAfter == .seconds(7))
            #expect(fixture.snapshot().state == .signedIn)
        }
    }
}
