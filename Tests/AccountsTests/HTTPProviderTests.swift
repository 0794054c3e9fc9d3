import Foundation
import GRDB
import Logging
import NIOHTTP1
import PostgresSupport
import TestSupport
import Testing
import ViewModelKit
import ViewModelStorage

@testable import Accounts

@Suite struct `Accounts behind a JSON API` {
    static let user = #"""
        {"account": "ada", "nickname": "Ada", "headimg": null, "user_mobile_mask": "138****5678", "balance": "100", "coupon_num": "3"}
        """#
    static let login = #"{"token": "t-1-secret", "auto_login": \#(user)}"#
    static let page = #"{"status": "ok", "auto_login": \#(user)}"#

    @Sendable static func good(_ request: Backend.Request) -> Backend.Reply {
        switch request.path {
        case "/login": .json(login)
        case "/auto_login": .json(page)
        default: .json("{}")
        }
    }

    @Test(arguments: ["", "backend", "ftp://backend", "http://", "http://backend?a=b"])
    func `an unusable address is refused before anything is connected`(url: String) {
        #expect(throws: UnusableURL.self) { try HTTPProvider(url: url, timeout: .seconds(60)) }
    }

    @Test func `a sign-in puts the token into the vault and shows the page`() async throws {
        try await AccountFixture.with(try await Backend(Self.good)) { fixture in
            try await fixture.signIn()
            let snapshot = fixture.accounts.snapshot(of: AccountFixture.ada)
            #expect(snapshot.state == .signedIn)
            #expect(snapshot.page?.balance == "100")
            #expect(!snapshot.isStale)
            let token = try await fixture.store.vault.token(
                of: AccountFixture.ada,
                provider: fixture.accounts.provider.name
            )
            #expect(token?.access.revealed == "t-1-secret")
        }
    }

    @Test func `the account of one user is not that of another`() async throws {
        try await AccountFixture.with(try await Backend(Self.good)) { fixture in
            try await fixture.signIn()
            #expect(fixture.accounts.snapshot(of: AccountFixture.bob).state == .signedOut)
            #expect(try await fixture.accounts.autoLogin(of: AccountFixture.bob) == .noToken)
        }
    }

    @Test(.enabled(if: !TestStore.isShared, "the test changes SQLite's file"))
    func `a page that cannot be cached is requested again in full`() async throws {
        let backend = try await Backend { request in
            if request.path == "/login" { return .json(Self.login) }
            if request.headers["If-None-Match"] == ["new"] { return .answer(.notModified) }
            let page = Self.page.replacingOccurrences(of: #""balance": "100""#, with: #""balance": "200""#)
            return .json(page, etag: "new")
        }
        try await AccountFixture.with(backend) { fixture in
            try await fixture.signIn()
            let file = try DatabaseQueue(path: "\(fixture.directory)/viewmodeld.sqlite")
            try await file.write {
                try $0.execute(sql: "CREATE TRIGGER full BEFORE INSERT ON cache BEGIN SELECT RAISE(ABORT, 'full'); END")
            }
            await #expect(throws: StoreError.self) { try await fixture.accounts.autoLogin(of: AccountFixture.ada) }
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).page?.balance == "100")
            try await file.write { try $0.execute(sql: "DROP TRIGGER full") }
            _ = try await fixture.accounts.autoLogin(of: AccountFixture.ada)
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).page?.balance == "200")
        }
    }

    @Test func `wrong credentials fail with the backend's words`() async throws {
        let backend = try await Backend { _ in .refusal("no such pair", .unauthorized) }
        try await AccountFixture.with(backend) { fixture in
            let error = try await fixture.failure { try await fixture.signIn() }
            #expect(error == AccountError(.invalidCredentials, "no such pair"))
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).state == .signedOut)
            #expect(backend.requests.count == 1)
        }
    }

    @Test func `another refusal fails with the backend's text`() async throws {
        try await AccountFixture.with(try await Backend { _ in .refusal("blocked", .forbidden) }) { fixture in
            let error = try await fixture.failure { try await fixture.signIn() }
            #expect(error == AccountError(.rejected, "blocked"))
        }
    }

    @Test func `of a long text the first 500 characters are kept`() async throws {
        let text = String(repeating: "no ", count: 50_000)
        let page = #"""
            {"account": "ada", "nickname": "\#(text)", "headimg": "https://\#(text)", "user_mobile_mask": "\#(text)"}
            """#
        let backend = try await Backend { request in
            request.path == "/login"
                ? .json(#"{"token": "t", "auto_login": \#(page)}"#) : .refusal(text, .unauthorized)
        }
        try await AccountFixture.with(backend) { fixture in
            try await fixture.signIn()
            let shown = fixture.accounts.snapshot(of: AccountFixture.ada).page
            #expect(shown?.nickname == text.prefix(499) + "…")
            #expect(shown?.phone?.count == 500)
            #expect(shown?.avatar == nil)
            #expect(try await fixture.accounts.autoLogin(of: AccountFixture.ada) == .refused(text.prefix(499) + "…"))
            backend.set { _ in .refusal(text, .unauthorized) }
            let error = try await fixture.failure { try await fixture.signIn() }
            #expect(error.description == text.prefix(499) + "…")
            // A character may have any number of scalars.
            let combined = "a" + String(repeating: "\u{301}", count: 100_000)
            #expect(AccountError(.rejected, combined).description.utf8.count <= 1_003)
        }
    }

    static let unusable: [Backend.Reply] = [
        .answer(.internalServerError), .answer(.serviceUnavailable), .refusal("too often", .tooManyRequests),
        .json("garbage"), .json("{}"),
        .json(#"{"token": 3}"#),
        .json(#"{"token": "t", "auto_login": {"account": ""}}"#),
        .json(#"{"token": "t", "auto_login": {"account": " "}}"#),
        .json(#"{"token": "t", "auto_login": {"account": "\#(String(repeating: "a", count: 2049))"}}"#),
        .answer(.temporaryRedirect, headers: ["Location": "/elsewhere"]), .hangUp, .stall,
        .json(String(repeating: " ", count: 2_000_000)),
    ]

    @Test(arguments: unusable.indices)
    func `a backend that does not answer sensibly is unreachable, and is asked once`(index: Int) async throws {
        let backend = try await Backend { _ in Self.unusable[index] }
        try await AccountFixture.with(backend, timeout: .seconds(10)) { fixture in
            let error = try await fixture.failure { try await fixture.signIn() }
            #expect(error.kind == .unreachable)
            #expect(error.failure.retryable)
            #expect(backend.requests.count == 1)
            #expect(backend.count("/elsewhere") == 0)
        }
    }

    @Test func `a backend that is down is unreachable`() async throws {
        let backend = try await Backend(Self.good)
        try await AccountFixture.with(backend) { fixture in
            await backend.stop()
            let error = try await fixture.failure { try await fixture.signIn() }
            #expect(error.kind == .unreachable)
        }
    }

    // MARK: Auto-login

    @Test func `without a token no request is sent`() async throws {
        let backend = try await Backend(Self.good)
        try await AccountFixture.with(backend) { fixture in
            let outcome = try await fixture.accounts.autoLogin(of: AccountFixture.ada)
            #expect(outcome == .noToken)
            #expect(backend.requests.isEmpty)
        }
    }

    @Test func `after a restart a good token signs in, with one request`() async throws {
        let backend = try await Backend(Self.good)
        try await AccountFixture.with(backend) { fixture in
            try await fixture.signIn()
        } again: { fixture in
            await fixture.accounts.prepare(AccountFixture.ada)
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).page?.nickname == "Ada")
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).isStale)
            guard case .signedIn = try await fixture.accounts.autoLogin(of: AccountFixture.ada) else {
                Issue.record("not signed in")
                return
            }
            #expect(!fixture.accounts.snapshot(of: AccountFixture.ada).isStale)
            #expect(backend.count("/auto_login") == 1)
            #expect(backend.requests.last?.headers["Authorization"] == ["Bearer t-1-secret"])
        }
    }

    @Test(arguments: [HTTPResponseStatus.ok, .unauthorized])
    func `a token that is refused is removed`(status: HTTPResponseStatus) async throws {
        let backend = try await Backend(Self.good)
        try await AccountFixture.with(backend) { fixture in
            try await fixture.signIn()
            backend.set { _ in .refusal("too old", status) }
            #expect(try await fixture.accounts.autoLogin(of: AccountFixture.ada) == .refused("too old"))
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).state == .signedOut)
            #expect(
                try await fixture.store.vault.token(of: AccountFixture.ada, provider: fixture.accounts.provider.name)
                    == nil
            )
            #expect(try await fixture.accounts.autoLogin(of: AccountFixture.ada) == .noToken)
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
            let error = try await fixture.failure { _ = try await fixture.accounts.autoLogin(of: AccountFixture.ada) }
            #expect(error.kind == .unreachable)
            let snapshot = fixture.accounts.snapshot(of: AccountFixture.ada)
            #expect(snapshot.page?.nickname == "Ada")
            #expect(snapshot.isStale)
            #expect(snapshot.state == .signedIn)
            #expect(backend.count("/auto_login") == 1)
        }
    }

    @Test func `simultaneous callers share a request`() async throws {
        let backend = try await Backend(Self.good)
        try await AccountFixture.with(backend) { fixture in
            try await fixture.signIn()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask { _ = try await fixture.accounts.autoLogin(of: AccountFixture.ada) }
                }
                try await group.waitForAll()
            }
            #expect(backend.count("/auto_login") < 20)
        }
    }

    @Test func `a request for a page sends the version of the known one`() async throws {
        let backend = try await Backend { request in
            switch request.path {
            case "/login": .json(Self.login)
            default:
                request.headers["If-None-Match"] == ["\"v1\""]
                    ? .answer(.notModified) : .json(Self.page, etag: "\"v1\"")
            }
        }
        try await AccountFixture.with(backend) { fixture in
            try await fixture.signIn()
            for _ in 0..<2 {
                _ = try await fixture.accounts.autoLogin(of: AccountFixture.ada)
            }
            let first = fixture.accounts.snapshot(of: AccountFixture.ada)
            #expect(first.page?.nickname == "Ada")
            #expect(backend.requests.last?.headers["If-None-Match"] == ["\"v1\""])
        } again: { fixture in
            _ = try await fixture.accounts.autoLogin(of: AccountFixture.ada)
            #expect(backend.requests.last?.headers["If-None-Match"] == ["\"v1\""])
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).page?.nickname == "Ada")
        }
    }

    // MARK: Signing out

    @Test func `signing out revokes the token, removes it and empties the cache`() async throws {
        let backend = try await Backend(Self.good)
        try await AccountFixture.with(backend) { fixture in
            try await fixture.signIn()
            try await fixture.accounts.signOut(of: AccountFixture.ada)
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).page == nil)
            #expect(
                try await fixture.store.vault.token(of: AccountFixture.ada, provider: fixture.accounts.provider.name)
                    == nil
            )
            #expect(
                try await fixture.store.cache.entry(of: AccountFixture.ada) == nil
            )
        }
        #expect(backend.count("/logout") == 1)
        #expect(backend.requests.last?.headers["Authorization"] == ["Bearer t-1-secret"])
    }

    // MARK: Messages

    @Test func `a message carries its key, and a 401 signs out`() async throws {
        let backend = try await Backend(Self.good)
        try await AccountFixture.with(backend) { fixture in
            try await fixture.signIn()
            try await fixture.accounts.deliver("hello", key: "k1", of: AccountFixture.ada)
            #expect(backend.requests.last?.headers["Idempotency-Key"] == ["k1"])
            #expect(backend.requests.last?.body == #"{"text":"hello"}"#)
            backend.set { _ in .refusal("too old", .unauthorized) }
            let error = try await fixture.failure {
                try await fixture.accounts.deliver("again", key: "k2", of: AccountFixture.ada)
            }
            #expect(error.kind == .signedOut)
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).state == .signedOut)
        }
    }

    @Test func `a token that no header can hold is refused`() async throws {
        let backend = try await Backend { _ in
            .json(#"{"token": "a\r\nX-Evil: 1", "auto_login": {"account": "ada"}}"#)
        }
        try await AccountFixture.with(backend) { fixture in
            let error = try await fixture.failure { try await fixture.signIn() }
            #expect(error.kind == .unreachable)
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).state == .signedOut)
        }
    }

    @Test func `the token of one backend is not sent to another`() async throws {
        let first = try await Backend(Self.good)
        let second = try await Backend(Self.good)
        try await AccountFixture.with(first) { fixture in
            try await fixture.signIn()
            let other = AccountService(
                provider: try HTTPProvider(url: second.url, timeout: .seconds(60)),
                store: fixture.store,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            let login = try await other.run { try await other.autoLogin(of: AccountFixture.ada) }
            #expect(login == .noToken)
            #expect(second.requests.isEmpty)
        }
        await second.stop()
    }

    @Test func `a message that is refused is rejected, and a failing backend says when to come back`() async throws {
        let backend = try await Backend(Self.good)
        try await AccountFixture.with(backend) { fixture in
            try await fixture.signIn()
            backend.set { _ in .refusal("too long", .payloadTooLarge) }
            let refused = try await fixture.failure {
                try await fixture.accounts.deliver("x", key: "k", of: AccountFixture.ada)
            }
            #expect(refused == AccountError(.rejected, "too long"))
            for body in [#"{"status":"error","error_desc":"no"}"#, #"{"error":"e","error_description":"no"}"#] {
                backend.set { _ in .json(body) }
                let error = try await fixture.failure {
                    try await fixture.accounts.deliver("x", key: "k", of: AccountFixture.ada)
                }
                #expect(error == AccountError(.rejected, "no"))
            }
            backend.set { _ in .answer(.serviceUnavailable, headers: ["Retry-After": "7"]) }
            let busy = try await fixture.failure {
                try await fixture.accounts.deliver("x", key: "k", of: AccountFixture.ada)
            }
            #expect(busy.retryAfter == .seconds(7))
        }
    }

    @Test(.enabled(if: !TestStore.isShared, "the test reads SQLite's file"))
    func `neither token nor password can be read in the files`() async throws {
        try await AccountFixture.with(try await Backend(Self.good)) { fixture in
            try await fixture.signIn()
            for name in try FileManager.default.contentsOfDirectory(atPath: fixture.directory) {
                let data = try Data(contentsOf: URL(filePath: "\(fixture.directory)/\(name)"))
                #expect(data.range(of: Data("t-1-secret".utf8)) == nil, "\(name)")
                #expect(data.range(of: Data(AccountFixture.password.revealed.utf8)) == nil, "\(name)")
            }
        }
    }
}
