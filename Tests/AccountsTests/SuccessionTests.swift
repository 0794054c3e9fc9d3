import Foundation
import Testing
import ViewModelStore

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

/// Accounts that exist whoever asks; a message is refused with a 401 once the test says so.
private final class SlowProvider: AccountProvider {
    let begun = AsyncStream.makeStream(of: Void.self)
    let refused = AsyncStream.makeStream(of: Void.self)

    var name: String { "slow" }
    var features: AccountFeatures { AccountFeatures(password: true) }

    func signIn(_ credentials: Credentials) async throws -> SignIn {
        SignIn(
            token: VaultToken(access: Secret("token of \(credentials.account)"), account: credentials.account),
            page: AccountPage(account: credentials.account)
        )
    }

    func page(_ token: VaultToken, etag: String?) async throws -> PageAnswer { .unchanged }

    func deliver(_ text: String, key: String, with token: VaultToken) async throws {
        begun.continuation.yield()
        for await _ in refused.stream { break }
        throw AccountError(.signedOut, "too old")
    }
}
