import Foundation
import Logging
import NIOHTTP1
import TestSupport
import Testing
import ViewModelKit
import ViewModelStore

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

    @Test func `a sign-in puts the token into the vault and tells the page`() async throws {
        try await Desk.with(try await Backend(Self.good)) { desk in
            try await desk.signIn()
            let snapshot = desk.accounts.snapshot(of: Desk.ada)
            #expect(snapshot.state == .signedIn)
            #expect(snapshot.page?.balance == "100")
            #expect(!snapshot.isStale)
            let token = try await desk.store.vault.token(of: Desk.ada, provider: desk.accounts.provider.name)
            #expect(token?.access.revealed == "t-1-secret")
        }
    }

    @Test func `the account of one user is nobody else's`() async throws {
        try await Desk.with(try await Backend(Self.good)) { desk in
            try await desk.signIn()
            #expect(desk.accounts.snapshot(of: Desk.bob).state == .signedOut)
            #expect(try await desk.accounts.autoLogin(of: Desk.bob) == .noToken)
        }
    }

    @Test func `wrong credentials fail with the backend's words`() async throws {
        let backend = try await Backend { _ in .refusal("no such pair", .unauthorized) }
        try await Desk.with(backend) { desk in
            let error = try await desk.failure { try await desk.signIn() }
            #expect(error == AccountError(.invalidCredentials, "no such pair"))
            #expect(desk.accounts.snapshot(of: Desk.ada).state == .signedOut)
            #expect(backend.requests.count == 1)
        }
    }

    @Test func `another refusal is told in the backend's words`() async throws {
        try await Desk.with(try await Backend { _ in .refusal("blocked", .forbidden) }) { desk in
            let error = try await desk.failure { try await desk.signIn() }
            #expect(error == AccountError(.rejected, "blocked"))
        }
    }

    static let unusable: [Backend.Reply] = [
        .answer(.internalServerError), .answer(.serviceUnavailable), .json("garbage"), .json("{}"),
        .json(#"{"token": 3}"#),
        .answer(.temporaryRedirect, headers: ["Location": "/elsewhere"]), .hangUp, .stall,
        .json(String(repeating: " ", count: 2_000_000)),
    ]

    @Test(arguments: unusable.indices)
    func `a backend that does not answer sensibly is unreachable, and is asked once`(index: Int) async throws {
        let backend = try await Backend { _ in Self.unusable[index] }
        try await Desk.with(backend, timeout: .seconds(10)) { desk in
            let error = try await desk.failure { try await desk.signIn() }
            #expect(error.kind == .unreachable)
            #expect(error.failure.retryable)
            #expect(backend.requests.count == 1)
            #expect(backend.count("/elsewhere") == 0)
        }
    }

    @Test func `a backend that is down is unreachable`() async throws {
        let backend = try await Backend(Self.good)
        try await Desk.with(backend) { desk in
            await backend.stop()
            let error = try await desk.failure { try await desk.signIn() }
            #expect(error.kind == .unreachable)
        }
    }

    // MARK: Auto-login

    @Test func `without a token nobody is asked`() async throws {
        let backend = try await Backend(Self.good)
        try await Desk.with(backend) { desk in
            let outcome = try await desk.accounts.autoLogin(of: Desk.ada)
            #expect(outcome == .noToken)
            #expect(backend.requests.isEmpty)
        }
    }

    @Test func `after a restart a good token signs in, with one request`() async throws {
        let backend = try await Backend(Self.good)
        try await Desk.with(backend) { desk in
            try await desk.signIn()
        } again: { desk in
            await desk.accounts.prepare(Desk.ada)
            #expect(desk.accounts.snapshot(of: Desk.ada).page?.nickname == "Ada")
            #expect(desk.accounts.snapshot(of: Desk.ada).isStale)
            guard case .signedIn = try await desk.accounts.autoLogin(of: Desk.ada) else {
                Issue.record("not signed in")
                return
            }
            #expect(!desk.accounts.snapshot(of: Desk.ada).isStale)
            #expect(backend.count("/auto_login") == 1)
            #expect(backend.requests.last?.headers["Authorization"] == ["Bearer t-1-secret"])
        }
    }

    @Test(arguments: [HTTPResponseStatus.ok, .unauthorized])
    func `a token that is refused is removed`(status: HTTPResponseStatus) async throws {
        let backend = try await Backend(Self.good)
        try await Desk.with(backend) { desk in
            try await desk.signIn()
            backend.set { _ in .refusal("too old", status) }
            #expect(try await desk.accounts.autoLogin(of: Desk.ada) == .refused("too old"))
            #expect(desk.accounts.snapshot(of: Desk.ada).state == .signedOut)
            #expect(try await desk.store.vault.token(of: Desk.ada, provider: desk.accounts.provider.name) == nil)
            #expect(try await desk.accounts.autoLogin(of: Desk.ada) == .noToken)
            #expect(backend.count("/auto_login") == 1)
        }
    }

    @Test func `while the backend is down what is remembered is shown as stale`() async throws {
        let backend = try await Backend(Self.good)
        try await Desk.with(backend) { desk in
            try await desk.signIn()
        } again: { desk in
            backend.set { _ in .answer(.badGateway) }
            let error = try await desk.failure { _ = try await desk.accounts.autoLogin(of: Desk.ada) }
            #expect(error.kind == .unreachable)
            let snapshot = desk.accounts.snapshot(of: Desk.ada)
            #expect(snapshot.page?.nickname == "Ada")
            #expect(snapshot.isStale)
            #expect(snapshot.state == .signedIn)
            #expect(backend.count("/auto_login") == 1)
        }
    }

    @Test func `those who ask at the same time share a request`() async throws {
        let backend = try await Backend(Self.good)
        try await Desk.with(backend) { desk in
            try await desk.signIn()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask { _ = try await desk.accounts.autoLogin(of: Desk.ada) }
                }
                try await group.waitForAll()
            }
            #expect(backend.count("/auto_login") < 20)
        }
    }

    @Test func `a page is asked for by its version`() async throws {
        let backend = try await Backend { request in
            switch request.path {
            case "/login": .json(Self.login)
            default:
                request.headers["If-None-Match"] == ["\"v1\""]
                    ? .answer(.notModified) : .json(Self.page, etag: "\"v1\"")
            }
        }
        try await Desk.with(backend) { desk in
            try await desk.signIn()
            for _ in 0..<2 {
                _ = try await desk.accounts.autoLogin(of: Desk.ada)
            }
            let first = desk.accounts.snapshot(of: Desk.ada)
            #expect(first.page?.nickname == "Ada")
            #expect(backend.requests.last?.headers["If-None-Match"] == ["\"v1\""])
        } again: { desk in
            _ = try await desk.accounts.autoLogin(of: Desk.ada)
            #expect(backend.requests.last?.headers["If-None-Match"] == ["\"v1\""])
            #expect(desk.accounts.snapshot(of: Desk.ada).page?.nickname == "Ada")
        }
    }

    // MARK: Signing out

    @Test func `signing out revokes the token, removes it and empties the cache`() async throws {
        let backend = try await Backend(Self.good)
        try await Desk.with(backend) { desk in
            try await desk.signIn()
            try await desk.accounts.signOut(of: Desk.ada)
            #expect(backend.count("/logout") == 1)
            #expect(backend.requests.last?.headers["Authorization"] == ["Bearer t-1-secret"])
            #expect(desk.accounts.snapshot(of: Desk.ada).page == nil)
            #expect(try await desk.store.vault.token(of: Desk.ada, provider: desk.accounts.provider.name) == nil)
            #expect(try await desk.store.cache.entry(of: Desk.ada, namespace: "account", key: "page") == nil)
        }
    }

    // MARK: Messages

    @Test func `a message carries its key, and a 401 signs out`() async throws {
        let backend = try await Backend(Self.good)
        try await Desk.with(backend) { desk in
            try await desk.signIn()
            try await desk.accounts.deliver("hello", key: "k1", of: Desk.ada)
            #expect(backend.requests.last?.headers["Idempotency-Key"] == ["k1"])
            #expect(backend.requests.last?.body == #"{"text":"hello"}"#)
            backend.set { _ in .refusal("too old", .unauthorized) }
            let error = try await desk.failure { try await desk.accounts.deliver("again", key: "k2", of: Desk.ada) }
            #expect(error.kind == .signedOut)
            #expect(desk.accounts.snapshot(of: Desk.ada).state == .signedOut)
        }
    }

    @Test func `a token that no header can hold is not taken`() async throws {
        let backend = try await Backend { _ in
            .json(#"{"token": "a\r\nX-Evil: 1", "auto_login": {"account": "ada"}}"#)
        }
        try await Desk.with(backend) { desk in
            let error = try await desk.failure { try await desk.signIn() }
            #expect(error.kind == .unreachable)
            #expect(desk.accounts.snapshot(of: Desk.ada).state == .signedOut)
        }
    }

    @Test func `another backend is not told the token of the first`() async throws {
        let first = try await Backend(Self.good)
        let second = try await Backend(Self.good)
        try await Desk.with(first) { desk in
            try await desk.signIn()
            let other = AccountService(
                provider: try HTTPProvider(url: second.url, timeout: .seconds(60)),
                store: desk.store,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            #expect(try await other.autoLogin(of: Desk.ada) == .noToken)
            #expect(second.requests.isEmpty)
            await other.shutDown()
        }
        await second.stop()
    }

    @Test func `a message that is refused is rejected, and a failing backend says when to come back`() async throws {
        let backend = try await Backend(Self.good)
        try await Desk.with(backend) { desk in
            try await desk.signIn()
            backend.set { _ in .refusal("too long", .payloadTooLarge) }
            let refused = try await desk.failure { try await desk.accounts.deliver("x", key: "k", of: Desk.ada) }
            #expect(refused == AccountError(.rejected, "too long"))
            backend.set { _ in .answer(.serviceUnavailable, headers: ["Retry-After": "7"]) }
            let busy = try await desk.failure { try await desk.accounts.deliver("x", key: "k", of: Desk.ada) }
            #expect(busy.retryAfter == .seconds(7))
        }
    }

    @Test func `neither token nor password can be read in the files`() async throws {
        try await Desk.with(try await Backend(Self.good)) { desk in
            try await desk.signIn()
            for name in try FileManager.default.contentsOfDirectory(atPath: desk.directory) {
                let data = try Data(contentsOf: URL(filePath: "\(desk.directory)/\(name)"))
                #expect(data.range(of: Data("t-1-secret".utf8)) == nil, "\(name)")
                #expect(data.range(of: Data(Desk.password.revealed.utf8)) == nil, "\(name)")
            }
        }
    }
}
