import Synchronization
import TestSupport
import Testing
import ViewModelStorage
import ViewModelTesting

@testable import Accounts

@Suite(.timeLimit(.minutes(5))) struct `Revoking tokens` {
    private static func signOut(_ fixture: AccountFixture) async throws {
        try await fixture.signIn()
        try await fixture.accounts[AccountFixture.ada].signOut()
    }

    @Test func `a sign-out returns while the backend does not answer, and removes the token`() async throws {
        let clock = ManualClock()
        let backend = try await Backend { $0.path == "/logout" ? .stall : `Accounts behind a JSON API`.good($0) }
        async let end: Void = AccountFixture.with(
            { _ in try HTTPProvider(url: backend.url, timeout: .seconds(3600)) },
            clock: clock.clock
        ) { fixture in
            try await Self.signOut(fixture)
            #expect(fixture.snapshot().state == .signedOut)
            #expect(try await fixture.token() == nil)
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
        let clock = ManualClock()
        let revocations = Effect<String, Void>(endsWhenCancelled: false)
        let revoked = Mutex(0)
        let provider = NumberedProvider(onRevocation: { token in
            try await revocations(token)
            revoked.withLock { $0 += 1 }
        })
        async let end: Void = AccountFixture.with({ _ in provider }, clock: clock.clock) { try await Self.signOut($0) }
        await clock.waitForSleepers(1)
        let call = try await revocations.nextCall()
        #expect(!provider.isShutDown)
        call.complete(with: ())
        try await end
        #expect(revoked.withLock { $0 } == 1)
        #expect(provider.isShutDown)
    }

    @Test func `tokens of one user are revoked one at a time, and few wait`() async throws {
        let first = Effect<String, Void>(endsWhenCancelled: false)
        let revoked = Mutex<[String]>([])
        let provider = NumberedProvider(onRevocation: { token in
            if token == "token 1" { try await first(token) }
            revoked.withLock { $0.append(token) }
        })
        try await AccountFixture.with({ _ in provider }) { fixture in
            try await Self.signOut(fixture)
            let call = try await first.nextCall()
            for _ in 0..<UserAccount.revocationLimit + 4 { try await Self.signOut(fixture) }
            #expect(revoked.withLock { $0 } == [])
            call.complete(with: ())
        }
        // Of those that waited, the oldest four were dropped.
        let latest = (6...UserAccount.revocationLimit + 5).map { "token \($0)" }
        #expect(revoked.withLock { $0 } == ["token 1"] + latest)
    }
}
