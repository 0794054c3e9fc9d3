import Synchronization
import Testing
import ViewModelKit
import ViewModelStorage

@testable import Accounts

@Suite(.timeLimit(.minutes(5))) struct `Guessing passwords` {
    private static func run(_ body: @escaping (AccountFixture, ManualClock) async throws -> Void) async throws {
        let clock = ManualClock()
        try await AccountFixture.with({ _ in OnePassword() }, clock: clock.clock) { fixture in
            try await body(fixture, clock)
        }
    }

    private static func fail(_ fixture: AccountFixture, as account: String = "ada", of uid: UInt32 = AccountFixture.ada)
        async throws
    {
        let wrong = Credentials(account: account, password: "wrong horse")
        let error = try await fixture.failure { _ = try await fixture.accounts.signIn(wrong, of: uid) }
        #expect(error.kind == .invalidCredentials)
    }

    @Test func `the fifth wrong password and those after it are reported after 1, 2, 4 and at most 30 seconds`()
        async throws
    {
        try await Self.run { fixture, clock in
            for _ in 1...4 { try await Self.fail(fixture) }
            var start = Duration.zero
            for seconds in [1, 2, 4, 8, 16, 30, 30] {
                async let failed: Void = Self.fail(fixture)
                await clock.waitForSleepers(1)
                #expect(clock.alarms == [start + .seconds(seconds)])
                clock.advance(by: .seconds(seconds))
                start += .seconds(seconds)
                try await failed
            }
        }
    }

    @Test func `while one account waits, others do not, neither does another user`() async throws {
        try await Self.run { fixture, clock in
            for _ in 1...4 { try await Self.fail(fixture) }
            async let fifth: Void = Self.fail(fixture)
            await clock.waitForSleepers(1)
            try await Self.fail(fixture, as: "bob")
            try await Self.fail(fixture, of: AccountFixture.bob)
            try await fixture.signIn(AccountFixture.bob)
            try await fixture.signIn(as: "carol")
            clock.advance(by: .seconds(1))
            try await fifth
        }
    }

    @Test func `the right password waits for its delay, and then the count restarts`() async throws {
        try await Self.run { fixture, clock in
            for _ in 1...4 { try await Self.fail(fixture) }
            async let fifth: Void = Self.fail(fixture)
            await clock.waitForSleepers(1)
            async let right: Void = fixture.signIn()
            clock.advance(by: .seconds(1))
            try await fifth
            try await right
            for _ in 1...4 { try await Self.fail(fixture) }
            #expect(clock.alarms.isEmpty)
        }
    }

    @Test func `giving up an attempt does not shorten the delay of the next one`() async throws {
        try await Self.run { fixture, clock in
            for _ in 1...4 { try await Self.fail(fixture) }
            let fifth = Task { try await Self.fail(fixture) }
            await clock.waitForSleepers(1)
            fifth.cancel()
            _ = await fifth.result
            async let sixth: Void = Self.fail(fixture)
            await clock.waitForSleepers(1)
            #expect(clock.alarms == [.seconds(1)])
            clock.advance(by: .seconds(1))
            await clock.waitForSleepers(1)
            #expect(clock.alarms == [.seconds(3)])
            clock.advance(by: .seconds(2))
            try await sixth
        }
    }

    @Test func `names that are tried once do not pile up`() async throws {
        let attempts = SignInAttempts()
        for number in 0..<3000 {
            try await attempts.withAttempts(on: "name \(number)", now: .milliseconds(number)) { account in
                _ = attempts.recordFailure(on: account, now: .milliseconds(number))
            }
        }
        try await attempts.withAttempts(on: "name 2999", now: .seconds(3)) { #expect($0.failures == 1) }
        try await attempts.withAttempts(on: "name 1900", now: .seconds(3)) { #expect($0.failures == 0) }
        try await attempts.withAttempts(on: "name 2999", now: .seconds(1000)) { #expect($0.failures == 0) }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `Hashing for several users` {
    @Test func `users take turns however much one of them wants`() async {
        let queue = HashingQueue()
        let order = Mutex<[UInt32]>([])
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            let left = Mutex(9)
            let work: @Sendable (UInt32) -> Void = { uid in
                order.withLock { $0.append(uid) }
                let rest = left.withLock { rest in
                    rest -= 1
                    return rest
                }
                if rest == 0 { done.resume() }
            }
            // The first one holds the queue until all others have been enqueued.
            queue.enqueue(for: 1) {
                for _ in 1...5 { queue.enqueue(for: 1) { work(1) } }
                for uid: UInt32 in [2, 3, 2] { queue.enqueue(for: uid) { work(uid) } }
                work(1)
            }
        }
        #expect(order.withLock { $0 } == [1, 1, 2, 3, 1, 2, 1, 1, 1])
    }
}

/// Accounts that all have the password of the tests.
private struct OnePassword: AccountProvider {
    var name: String { "one" }
    var features: AccountFeatures { AccountFeatures(password: true) }

    func signIn(_ credentials: Credentials, for uid: UInt32) async throws -> SignIn {
        guard credentials.password == AccountFixture.password else { throw AccountError(.invalidCredentials, "no") }
        return SignIn(
            token: VaultToken(access: Secret("token"), account: credentials.account),
            page: AccountPage(account: credentials.account)
        )
    }

    func page(_ token: VaultToken, etag: String?) async throws -> PageResult { .unchanged }
    func deliver(_ text: String, key: String, with token: VaultToken) async throws {}
}
