import Synchronization
import Testing
import ViewModelStorage
import ViewModelTesting

@testable import Accounts

@Suite(.timeLimit(.minutes(5))) struct `A slow request` {
    @Test func `that was begun for one account is not repeated for another`() async throws {
        let deliveries = Effect<String, Void>()
        let provider = NumberedProvider(onDelivery: { key, _ in try await deliveries(key) })
        try await AccountFixture.with({ _ in provider }) { fixture in
            try await fixture.signIn()
            async let error = failure { try await fixture.deliver() }
            let call = try await deliveries.nextCall()
            try await fixture.signIn(as: "bob")
            call.fail(with: AccountError(.signedOut, "too old"))
            #expect(try await error.kind == .signedOut)
            #expect(fixture.snapshot().page?.account == "bob")
            #expect(deliveries.calls.count == 1)
        }
    }

    @Test func `for a fresh token is sent once for each token, also after an older one has ended`() async throws {
        let refreshes = Effect<String, Void>()
        let refused = Mutex<Set<String>>([])
        /// Refuses the first attempt of each message.
        let provider = NumberedProvider(
            onDelivery: { key, _ in
                if refused.withLock({ $0.insert(key).inserted }) { throw AccountError(.signedOut, "too old") }
            },
            onRefresh: { try await refreshes($0) }
        )
        try await AccountFixture.with({ _ in provider }) { fixture in
            try await fixture.signIn()
            async let first: Void = fixture.deliver(key: "1")
            let former = try await refreshes.nextCall()
            try await fixture.signIn()
            async let second: Void = fixture.deliver(key: "2")
            while refreshes.waiting.count < 2 { await Task.yield() }
            former.complete(with: ())
            try await first
            async let third: Void = fixture.deliver(key: "3")
            while refused.withLock({ $0.count }) < 3 { await Task.yield() }
            // The third message gets to the refresh that the second one waits for.
            for _ in 0..<1000 { await Task.yield() }
            refreshes.complete()
            _ = try await (second, third)
            #expect(refreshes.calls.map(\.input) == ["token 1", "token 2"])
        }
    }
}
