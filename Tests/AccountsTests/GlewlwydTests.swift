import Testing
import ViewModelKit
import ViewModelStore

@testable import Accounts

@Suite(.enabled(if: Glewlwyd.url != nil), .timeLimit(.minutes(5))) struct `Accounts with a real OpenID provider` {
    @Test func `a password is exchanged for a token and a page`() async throws {
        try await Glewlwyd.with { desk, _ in
            try await desk.signIn()
            let page = try #require(desk.accounts.snapshot(of: Desk.ada).page)
            #expect(page.nickname == "Ada Lovelace")
            #expect(try await desk.accounts.autoLogin(of: Desk.ada) == .signedIn(page))
        }
    }

    @Test func `a wrong password is not`() async throws {
        try await Glewlwyd.with { desk, server in
            let wrong = Credentials(account: "ada", password: "wrong horse battery")
            let error = try await desk.failure { _ = try await desk.accounts.signIn(wrong, of: Desk.ada) }
            #expect(error.kind == .invalidCredentials)
            #expect(try await desk.store.vault.token(of: Desk.ada, provider: server.provider) == nil)
        }
    }

    @Test func `a code that is typed on another device signs in`() async throws {
        try await Glewlwyd.with { desk, server in
            let grant = try await desk.accounts.beginDevice(of: Desk.ada)
            guard case .pending = try await desk.accounts.poll(grant, of: Desk.ada).answer else {
                Issue.record("granted by nobody")
                return
            }
            try await server.approve(grant.prompt)
            var page: AccountPage?
            // Asked too early it wants more time, as it is entitled to.
            while page == nil {
                try await Task.sleep(for: grant.interval)
                page = try await desk.accounts.poll(grant, of: Desk.ada).page
            }
            #expect(page?.nickname == "Ada Lovelace")
            #expect(desk.accounts.snapshot(of: Desk.ada).state == .signedIn)
        }
    }

    @Test func `a useless access token is exchanged by the refresh token, which is exchanged, too`() async throws {
        try await Glewlwyd.with { desk, server in
            try await desk.signIn()
            let token = try #require(try await desk.store.vault.token(of: Desk.ada, provider: server.provider))
            let spoiled = VaultToken(access: Secret("nonsense"), refresh: token.refresh, account: token.account)
            try await desk.store.vault.store(spoiled, of: Desk.ada, provider: server.provider)
        } again: { desk, server in
            let former = try await desk.store.vault.token(of: Desk.ada, provider: server.provider)
            guard case .signedIn(let page) = try await desk.accounts.autoLogin(of: Desk.ada) else {
                Issue.record("not signed in")
                return
            }
            #expect(page.nickname == "Ada Lovelace")
            let token = try await desk.store.vault.token(of: Desk.ada, provider: server.provider)
            #expect(token?.access.revealed != "nonsense")
            #expect(token?.refresh?.revealed != former?.refresh?.revealed)
        }
    }

    @Test func `signing out makes both tokens useless`() async throws {
        try await Glewlwyd.with { desk, server in
            try await desk.signIn()
            let token = try #require(try await desk.store.vault.token(of: Desk.ada, provider: server.provider))
            try await desk.accounts.signOut(of: Desk.ada)
            let provider = desk.accounts.provider
            let page = try await desk.failure { _ = try await provider.page(token, etag: nil) }
            #expect(page.kind == .signedOut)
            let refresh = try await desk.failure { _ = try await provider.refresh(token) }
            #expect(refresh.kind == .signedOut)
        }
    }
}
