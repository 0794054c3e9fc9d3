import Synchronization
import Testing
import ViewModelKit
import ViewModelStorage

@testable import Accounts

@Suite(.enabled(if: Glewlwyd.url != nil), .timeLimit(.minutes(5))) struct `Accounts with a real OpenID provider` {
    @Test func `a password is exchanged for a token and a page, a wrong one is not`() async throws {
        try await Glewlwyd.with { fixture, _ in
            let error = try await failure { try await fixture.signIn(password: "wrong horse battery") }
            #expect(error.kind == .invalidCredentials)
            #expect(try await fixture.token() == nil)
            try await fixture.signIn()
            let page = try #require(fixture.snapshot().page)
            #expect(page.nickname == "Ada Lovelace")
            #expect(try await fixture.autoLogin() == .signedIn(page))
        }
    }

    @Test func `a code that is typed on another device signs in`() async throws {
        try await Glewlwyd.with { fixture, server in
            let grant = try await fixture.accounts[AccountFixture.ada].beginDevice()
            let early = try await fixture.accounts[AccountFixture.ada].poll(grant)
            #expect("\(early.answer)" == "pending")
            try await server.approve(grant.prompt)
            var page: AccountPage?
            // Asked too early it wants more time, as it is entitled to.
            while page == nil {
                try await Task.sleep(for: grant.interval)
                page = try await fixture.accounts[AccountFixture.ada].poll(grant).page
            }
            #expect(page?.nickname == "Ada Lovelace")
            #expect(fixture.snapshot().state == .signedIn)
        }
    }

    @Test func `a useless access token is exchanged by the refresh token, which is exchanged, too`() async throws {
        try await Glewlwyd.with { fixture, server in
            try await fixture.signIn()
            let token = try #require(try await fixture.token())
            let spoiled = VaultToken(access: Password("nonsense"), refresh: token.refresh, account: token.account)
            try await fixture.store.vault.store(spoiled, of: AccountFixture.ada, provider: server.provider)
        } again: { fixture, _ in
            let former = try await fixture.token()
            _ = try await fixture.autoLogin()
            #expect(fixture.snapshot().page?.nickname == "Ada Lovelace")
            let token = try #require(try await fixture.token())
            #expect(token.access.revealed != "nonsense")
            #expect(token.refresh?.revealed != former?.refresh?.revealed)
        }
    }

    @Test func `signing out makes both tokens useless`() async throws {
        let signedOut = Mutex<VaultToken?>(nil)
        try await Glewlwyd.with { fixture, _ in
            try await fixture.signIn()
            let token = try await fixture.token()
            signedOut.withLock { $0 = token }
            try await fixture.accounts[AccountFixture.ada].signOut()
        } again: { fixture, _ in
            // The first service has waited for the revocation.
            let token = try #require(signedOut.withLock { $0 })
            let provider = fixture.accounts.provider
            #expect(try await failure { _ = try await provider.page(token, etag: nil) }.kind == .signedOut)
            #expect(try await failure { _ = try await provider.refresh(token) }.kind == .signedOut)
        }
    }
}
