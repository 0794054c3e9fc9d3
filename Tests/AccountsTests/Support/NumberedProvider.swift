import Synchronization
import ViewModelKit
import ViewModelStorage

@testable import Accounts

/// Accounts of any name with the password of the tests, whose tokens and pages have numbers.
///
/// A test says what the other calls do.
final class NumberedProvider: AccountProvider {
    private struct State {
        var tokens = 0
        var pages = 0
        var isShutDown = false
    }

    let name = "numbered"
    let features = AccountFeatures(password: true)
    private let state = Mutex(State())
    private let onPage: @Sendable () async throws -> Void
    private let onDelivery: @Sendable (_ key: String, _ token: String) async throws -> Void
    private let onRefresh: @Sendable (_ token: String) async throws -> Void
    private let onRevocation: @Sendable (_ token: String) async throws -> Void

    init(
        onPage: @escaping @Sendable () async throws -> Void = {},
        onDelivery: @escaping @Sendable (_ key: String, _ token: String) async throws -> Void = { _, _ in },
        onRefresh: @escaping @Sendable (_ token: String) async throws -> Void = { _ in },
        onRevocation: @escaping @Sendable (_ token: String) async throws -> Void = { _ in }
    ) {
        self.onPage = onPage
        self.onDelivery = onDelivery
        self.onRefresh = onRefresh
        self.onRevocation = onRevocation
    }

    var isShutDown: Bool { state.withLock { $0.isShutDown } }

    private func page(of account: String) -> AccountPage {
        state.withLock { state in
            state.pages += 1
            return AccountPage(account: account, nickname: "page \(state.pages)")
        }
    }

    func signIn(_ account: String, password: Password, for uid: UInt32) async throws -> SignIn {
        guard password == AccountFixture.password else { throw AccountError(.invalidCredentials, "no") }
        let number = state.withLock { state in
            state.tokens += 1
            return state.tokens
        }
        let token = VaultToken(
            access: Password("token \(number)"),
            refresh: Password("refresh \(number)"),
            account: account
        )
        return SignIn(token: token, page: page(of: account))
    }

    func page(_ token: VaultToken, etag: String?) async throws -> PageResult {
        try await onPage()
        return .page(page(of: token.account), etag: nil)
    }

    func refresh(_ token: VaultToken) async throws -> VaultToken? {
        try await onRefresh(token.access.revealed)
        var fresh = token
        fresh.access = Password("fresh \(token.access.revealed)")
        return fresh
    }

    func revoke(_ token: VaultToken) async { try? await onRevocation(token.access.revealed) }

    func deliver(_ text: String, key: String, with token: VaultToken) async throws {
        try await onDelivery(key, token.access.revealed)
    }

    func shutDown() async { state.withLock { $0.isShutDown = true } }
}
