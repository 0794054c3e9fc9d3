import Accounts
import Synchronization
import ViewModelKit
import ViewModelStore

/// Accounts as a test wants them.
final class FakeProvider: AccountProvider {
    struct State {
        var asked = 0
        var delivered: [String] = []
        var problem: AccountError?
        var page = AccountPage(
            account: "ada",
            nickname: "Ada",
            details: ["balance": "100", "coupon_num": "3"]
        )
    }

    let state = Mutex(State())

    var name: String { "fake" }
    var features: AccountFeatures { AccountFeatures(password: true) }

    func fail(_ problem: AccountError?) {
        state.withLock { $0.problem = problem }
    }

    func signIn(_ account: String, password: Password, for uid: UInt32) async throws -> SignIn {
        guard password.revealed == "correct horse" else {
            throw AccountError(.invalidCredentials, "no such pair")
        }
        return SignIn(
            token: VaultToken(access: Password("token"), account: "ada"),
            page: state.withLock { $0.page }
        )
    }

    func page(_ token: VaultToken, etag: String?) async throws -> PageResult {
        try state.withLock { state in
            state.asked += 1
            if let problem = state.problem { throw problem }
            return .page(state.page, etag: nil)
        }
    }

    func deliver(_ text: String, key: String, with token: VaultToken) async throws {
        try state.withLock { state in
            state.asked += 1
            if let problem = state.problem { throw problem }
            state.delivered.append(text)
        }
    }
}
