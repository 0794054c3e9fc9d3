import Testing
import ViewModelKit
import ViewModelStorage

@testable import Accounts

@Suite(.timeLimit(.minutes(5))) struct `Guessing passwords` {
    /// Runs a test after four wrong passwords.
    private static func run(_ body: @escaping (AccountFixture, ManualClock) async throws -> Void) async throws {
        let clock = ManualClock()
        try await AccountFixture.with({ _ in NumberedProvider() }, clock: clock.clock) { fixture in
            for _ in 1...4 { try await fail(fixture) }
            try await body(fixture, clock)
        }
    }

    private static func fail(_ fixture: AccountFixture, as account: String = "ada", of uid: UInt32 = AccountFixture.ada)
        async throws
    {
        let error = try await failure { try await fixture.signIn(uid, as: account, password: "wrong horse") }
        #expect(error.kind == .invalidCredentials)
    }

    @Test func `the fifth wrong password and those after it are reported after 1, 2, 4 and at most 30 seconds`()
        async throws
    {
        try await Self.run { fixture, clock in
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
