import Accounts
import FoundationEssentials
import Synchronization
import ViewModelKit
import ViewModelStorage

/// A provider that answers at once, as the test says.
final class TestProvider: AccountProvider {
    struct Account {
        var page: AccountPage
        var password: Password
    }

    enum DeviceAnswer {
        case pending
        case granted(String)
        case denied
    }

    struct State {
        var accounts: [String: Account] = [:]
        var error: AccountError?
        /// The number of issued tokens; each one has its number as text.
        var tokens = 0
        var firstValidToken = 0
        var deviceAnswer = DeviceAnswer.pending
        var delivered: [String] = []

        /// Returns the account of a valid token.
        func account(of token: VaultToken) throws -> Account {
            if let error { throw error }
            let isValid = Int(token.access.revealed).map { $0 >= firstValidToken } ?? false
            guard isValid, let account = accounts[token.account] else {
                throw AccountError(.signedOut, "The account \(token.account) has to sign in again")
            }
            return account
        }

        mutating func signIn(to account: Account) -> SignIn {
            tokens += 1
            return SignIn(
                token: VaultToken(access: Password("\(tokens)"), account: account.page.account),
                page: account.page
            )
        }
    }

    private let state = Mutex(State())

    @discardableResult
    func change<Result: Sendable>(_ body: @Sendable (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { try body(&$0) }
    }

    var name: String { "test" }
    var features: AccountFeatures { AccountFeatures(password: true, registration: true, device: true) }

    func signIn(_ account: String, password: Password, for uid: UInt32) async throws -> SignIn {
        try change { state in
            if let error = state.error { throw error }
            guard let account = state.accounts[account], account.password == password else {
                throw TestAccounts.wrongPassword
            }
            return state.signIn(to: account)
        }
    }

    func register(
        _ account: String,
        password: Password,
        nickname: String?,
        for uid: UInt32
    ) async throws -> AccountPage {
        try change { state in
            if let error = state.error { throw error }
            guard state.accounts[account] == nil else {
                throw AccountError(.accountTaken, "The account \(account) exists already")
            }
            let page = AccountPage(account: account, nickname: nickname)
            state.accounts[account] = Account(page: page, password: password)
            return page
        }
    }

    func page(_ token: VaultToken, etag: String?) async throws -> PageResult {
        try change { .page(try $0.account(of: token).page, etag: nil) }
    }

    func deliver(_ text: String, key: String, with token: VaultToken) async throws {
        try change { state in
            _ = try state.account(of: token)
            state.delivered.append(text)
        }
    }

    func beginDevice() async throws -> DeviceGrant {
        try change { state in
            if let error = state.error { throw error }
            state.deviceAnswer = .pending
        }
        let prompt = DevicePrompt(
            userCode: "ABCD-EFGH",
            verificationUri: "https://id.example/device",
            verificationUriComplete: nil,
            expiresAt: Date(timeIntervalSinceNow: 3_600)
        )
        return DeviceGrant(prompt: prompt, code: Password("device"))
    }

    func poll(_ grant: DeviceGrant) async throws -> DeviceGrantStatus {
        try change { state in
            switch state.deviceAnswer {
            case .pending: return .pending
            case .denied: throw AccountError(.rejected, "The sign-in was denied")
            case .granted(let name):
                guard let account = state.accounts[name] else {
                    preconditionFailure("grantDevice(to:) names an account that the test has not added: \(name)")
                }
                return .granted(state.signIn(to: account))
            }
        }
    }
}
