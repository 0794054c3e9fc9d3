import Synchronization
import Testing
import ViewModelKit
import ViewModelStorage

@testable import Accounts

@Suite(.enabled(if: Glewlwyd.url != nil), .timeLimit(.minutes(5))) struct `Accounts with a real OpenID provider` {
    @Test func `a password is exchanged for a token and a page`() async throws {
        try await Glewlwyd.with { fixture, _ in
            try await fixture.signIn()
            let page = try #require(fixture.accounts.snapshot(of: AccountFixture.ada).page)
            #expect(page.nickname == "Ada Lovelace")
            #expect(try await fixture.accounts.autoLogin(of: AccountFixture.ada) == .signedIn(page))
        }
    }

    @Test func `a wrong password is not`() async throws {
        try await Glewlwyd.with { fixture, server in
            let wrong = Credentials(account: "ada", password: "wrong horse battery")
            let error = try await fixture.failure {
                _ = try await fixture.accounts.signIn(wrong, of: AccountFixture.ada)
            }
            #expect(error.kind == .invalidCredentials)
            #expect(try await fixture.store.vault.token(of: AccountFixture.ada, provider: server.provider) == nil)
        }
    }

    @Test func `a code that is typed on another device signs in`() async throws {
        try await Glewlwyd.with { fixture, server in
            let grant = try await fixture.accounts.beginDevice(of: AccountFixture.ada)
            guard case .pending = try await fixture.accounts.poll(grant, of: AccountFixture.ada).answer else {
                Issue.record("granted without an approval")
                return
            }
            try await server.approve(grant.prompt)
            var page: AccountPage?
            // Asked too early it wants more time, as it is entitled to.
            while page == nil {
                try await Task.sleep(for: grant.interval)
                page = try await fixture.accounts.poll(grant, of: AccountFixture.ada).page
            }
            #expect(page?.nickname == "Ada Lovelace")
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).state == .signedIn)
        }
    }

    @Test func `a useless access token is exchanged by the refresh token, which is exchanged, too`() async throws {
        try await Glewlwyd.with { fixture, server in
            try await fixture.signIn()
            let token = try #require(
                try await fixture.store.vault.token(of: AccountFixture.ada, provider: server.provider)
            )
            let spoiled = VaultToken(access: Secret("nonsense"), refresh: token.refresh, account: token.account)
            try await fixture.store.vault.store(spoiled, of: AccountFixture.ada, provider: server.provider)
        } again: { fixture, server in
            let former = try await fixture.store.vault.token(of: AccountFixture.ada, provider: server.provider)
            guard case .signedIn(let page) = try await fixture.accounts.autoLogin(of: AccountFixture.ada) else {
                Issue.record("not signed in")
                return
            }
            #expect(page.nickname == "Ada Lovelace")
            let token = try await fixture.store.vault.token(of: AccountFixture.ada, provider: server.provider)
            #expect(token?.access.revealed != "nonsense")
            #expect(token?.refresh?.revealed != former?.refresh?.revealed)
        }
    }

    @Test func `signing out makes both tokens useless`() async throws {
        let signedOut = Mutex<VaultToken?>(nil)
        try await Glewlwyd.with { fixture, server in
            try await fixture.signIn()
            let token = try await fixture.store.vault.token(of: AccountFixture.ada, provider: server.provider)
            signedOut.withLock { $0 = token }
            try await fixture.accounts.signOut(of: AccountFixture.ada)
        } again: { fixture, _ in
            // The first service has waited for the revocation.
            let token = try #require(signedOut.withLock { $0 })
            let provider = fixture.accounts.provider
            let page = try await fixture.failure { _ = try await provider.page(token, etag: nil) }
            #expect(page.kind == .signedOut)
            let refresh = try await fixture.failure { _ = try await provider.refresh(token) }
            #expect(refresh.kind == .signedOut)
        }
    }
}
