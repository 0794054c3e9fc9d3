import Logging
import Synchronization
import TestSupport
import Testing
import ViewModelKit
import ViewModelStorage

@testable import Accounts

@Suite struct `Revoking tokens` {
    /// A backend whose `/logout` never answers.
    private static func mute() async throws -> Backend {
        try await Backend { $0.path == "/logout" ? .stall : `Accounts behind a JSON API`.good($0) }
    }

    @Test func `a sign-out returns while the backend does not answer, and removes the token`() async throws {
        let backend = try await Self.mute()
        let clock = ManualClock()
        async let end: Void = AccountFixture.with(
            { _ in try HTTPProvider(url: backend.url, timeout: .seconds(3600)) },
            clock: clock.clock
        ) { fixture in
            try await fixture.signIn()
            try await fixture.accounts.signOut(of: AccountFixture.ada)
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).state == .signedOut)
            let provider = fixture.accounts.provider.name
            #expect(try await fixture.store.vault.token(of: AccountFixture.ada, provider: provider) == nil)
            // The next sign-in does not wait for it, and other users do not.
            try await fixture.signIn()
            try await fixture.signIn(AccountFixture.bob)
            while backend.count("/logout") == 0 { await Task.yield() }
        }
        await clock.waitForSleepers(1)
        #expect(clock.alarms == [.seconds(2)])
        clock.advance(by: .seconds(2))
        try await end
        #expect(backend.count("/logout") == 1)
        await backend.stop()
    }

    @Test func `the end of the service waits for a revocation that is under way`() async throws {
        let provider = SlowRevocation()
        let clock = ManualClock()
        async let end: Void = AccountFixture.with({ _ in provider }, clock: clock.clock) { fixture in
            try await fixture.signIn()
            try await fixture.accounts.signOut(of: AccountFixture.ada)
        }
        await clock.waitForSleepers(1)
        #expect(provider.state.withLock { $0.revoked } == 0)
        provider.answer()
        try await end
        #expect(provider.state.withLock { $0.revoked } == 1)
        #expect(provider.state.withLock { $0.isShutDown })
    }

    @Test func `tokens of one user are revoked one at a time, and few wait`() async throws {
        let provider = SlowRevocation()
        try await AccountFixture.with({ _ in provider }) { fixture in
            for _ in 0..<RevocationQueue.limit + 5 {
                try await fixture.signIn()
                try await fixture.accounts.signOut(of: AccountFixture.ada)
            }
            #expect(provider.state.withLock { $0.underWay } <= 1)
            provider.answer()
        }
        let revoked = provider.state.withLock { $0.revoked }
        #expect((RevocationQueue.limit...RevocationQueue.limit + 1).contains(revoked))
    }
}

/// Answers nothing about a revocation until it is told to.
private final class SlowRevocation: AccountProvider {
    struct State {
        var issued = 0
        var underWay = 0
        var revoked = 0
        var isShutDown = false
        var answers = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    let state = Mutex(State())
    let name = "slow"
    let features = AccountFeatures(password: true)

    func answer() {
        let waiting = state.withLock { state in
            state.answers = true
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func signIn(_ credentials: Credentials, for uid: UInt32) async throws -> SignIn {
        let number = state.withLock { state in
            state.issued += 1
            return state.issued
        }
        let token = VaultToken(access: Secret("t-\(number)"), account: "ada")
        return SignIn(token: token, page: AccountPage(account: "ada"))
    }

    func page(_ token: VaultToken, etag: String?) async throws -> PageResult {
        .page(AccountPage(account: "ada"), etag: nil)
    }

    func deliver(_ text: String, key: String, with token: VaultToken) async throws {}

    func revoke(_ token: VaultToken) async {
        state.withLock { $0.underWay += 1 }
        await withCheckedContinuation { continuation in
            let answers = state.withLock { state in
                if !state.answers { state.waiting.append(continuation) }
                return state.answers
            }
            if answers { continuation.resume() }
        }
        state.withLock {
            $0.underWay -= 1
            $0.revoked += 1
        }
    }

    func shutDown() async {
        state.withLock { $0.isShutDown = true }
    }
}
