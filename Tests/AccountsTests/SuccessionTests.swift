import Foundation
import Synchronization
import Testing
import ViewModelStorage

@testable import Accounts

@Suite struct `Another account signs in meanwhile` {
    @Test func `a message that was begun for one account is not sent for another`() async throws {
        let provider = SlowProvider()
        try await AccountFixture.with({ _ in provider }) { fixture in
            try await fixture.signIn()
            async let error = fixture.failure {
                try await fixture.accounts.deliver("hello", key: "k1", of: AccountFixture.ada)
            }
            for await _ in provider.begun.stream { break }
            try await fixture.signIn(as: "bob")
            provider.refused.continuation.yield()
            #expect(try await error.kind == .signedOut)
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).page?.account == "bob")
            provider.begun.continuation.finish()
            var others = 0
            for await _ in provider.begun.stream { others += 1 }
            #expect(others == 0)
        }
    }
}

@Suite struct `A refresh of a token` {
    @Test func `is sent once for each token, also after an older refresh has ended`() async throws {
        let provider = SlowRefresh()
        try await AccountFixture.with({ _ in provider }) { fixture in
            @Sendable func deliver(_ key: String) async throws {
                try await fixture.accounts.deliver("hello", key: key, of: AccountFixture.ada)
            }
            try await fixture.signIn()
            async let first: Void = deliver("1")
            await provider.waitForRefreshes(1)
            try await fixture.signIn()
            async let second: Void = deliver("2")
            await provider.waitForRefreshes(2)
            provider.finishRefresh(of: "token 1")
            try await first
            async let third: Void = deliver("3")
            await provider.waitForRefusals(3)
            // The third message gets to the refresh that the second one waits for.
            for _ in 0..<1000 { await Task.yield() }
            provider.finishRefresh(of: "token 2")
            _ = try await (second, third)
            #expect(provider.refreshes == ["token 1", "token 2"])
        }
    }
}

/// Refuses the first attempt of each message, and completes a refresh when the test demands it.
private final class SlowRefresh: AccountProvider {
    private struct State {
        var signIns = 0
        var refused: Set<String> = []
        var refreshes: [String] = []
        var waiting: [String: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    var name: String { "slow refresh" }
    var features: AccountFeatures { AccountFeatures(password: true) }
    var refreshes: [String] { state.withLock { $0.refreshes } }

    func waitForRefreshes(_ count: Int) async {
        while state.withLock({ $0.waiting.count }) < count { await Task.yield() }
    }

    func waitForRefusals(_ count: Int) async {
        while state.withLock({ $0.refused.count }) < count { await Task.yield() }
    }

    func finishRefresh(of token: String) {
        state.withLock { $0.waiting.removeValue(forKey: token) }?.resume()
    }

    func signIn(_ credentials: Credentials, for uid: UInt32) async throws -> SignIn {
        let number = state.withLock { state in
            state.signIns += 1
            return state.signIns
        }
        let token = VaultToken(
            access: Secret("token \(number)"),
            refresh: Secret("refresh \(number)"),
            account: credentials.account
        )
        return SignIn(token: token, page: AccountPage(account: credentials.account))
    }

    func page(_ token: VaultToken, etag: String?) async throws -> PageResult { .unchanged }

    func refresh(_ token: VaultToken) async throws -> VaultToken? {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.refreshes.append(token.access.revealed)
                if let other = state.waiting.updateValue(continuation, forKey: token.access.revealed) { other.resume() }
            }
        }
        var fresh = token
        fresh.access = Secret("fresh \(token.access.revealed)")
        return fresh
    }

    func deliver(_ text: String, key: String, with token: VaultToken) async throws {
        if state.withLock({ $0.refused.insert(key).inserted }) { throw AccountError(.signedOut, "too old") }
    }
}

/// Accepts every account; a message is refused with a 401 once the test says so.
private final class SlowProvider: AccountProvider {
    let begun = AsyncStream.makeStream(of: Void.self)
    let refused = AsyncStream.makeStream(of: Void.self)

    var name: String { "slow" }
    var features: AccountFeatures { AccountFeatures(password: true) }

    func signIn(_ credentials: Credentials, for uid: UInt32) async throws -> SignIn {
        SignIn(
            token: VaultToken(access: Secret("token of \(credentials.account)"), account: credentials.account),
            page: AccountPage(account: credentials.account)
        )
    }

    func page(_ token: VaultToken, etag: String?) async throws -> PageResult { .unchanged }

    func deliver(_ text: String, key: String, with token: VaultToken) async throws {
        begun.continuation.yield()
        for await _ in refused.stream { break }
        throw AccountError(.signedOut, "too old")
    }
}
