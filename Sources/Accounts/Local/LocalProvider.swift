import Crypto
import FoundationEssentials
public import ViewModelStore

/// Accounts in the daemon's own file, passwords as scrypt hashes; messages are taken at once.
///
/// A token is a random number, authenticated by the password's hash: it is good for as long as the account and its password
/// are what they were.
public final class LocalProvider: AccountProvider {
    private let accounts: LocalAccounts
    private let hasher: PasswordHasher

    /// Keeps accounts in a store.
    public convenience init(accounts: LocalAccounts) {
        self.init(accounts: accounts, cost: PasswordHasher.Cost())
    }

    init(accounts: LocalAccounts, cost: PasswordHasher.Cost) {
        self.accounts = accounts
        hasher = PasswordHasher(cost: cost)
    }

    /// `local`.
    public var name: String { "local" }

    /// Passwords and registration.
    public var features: AccountFeatures { AccountFeatures(password: true, registration: true) }

    /// Compares the password with the account's.
    public func signIn(_ credentials: Credentials) async throws -> SignIn {
        try await signIn(credentials, for: 0)
    }

    /// Compares the password with the account's; users take turns.
    public func signIn(_ credentials: Credentials, for uid: UInt32) async throws -> SignIn {
        let account = try await accounts.account(named: credentials.account)
        guard try await hasher.verify(credentials.password, account?.password, for: uid), let account else {
            throw AccountError(.invalidCredentials, "The account or the password is wrong")
        }
        return SignIn(token: Self.token(for: account), page: Self.page(of: account))
    }

    /// Makes an account with balance and coupons 0.
    public func register(_ credentials: Credentials, nickname: String?) async throws -> AccountPage {
        try await register(credentials, nickname: nickname, for: 0)
    }

    /// Makes an account with balance and coupons 0; users take turns.
    public func register(
        _ credentials: Credentials,
        nickname: String?,
        for uid: UInt32
    ) async throws -> AccountPage {
        let taken = AccountError(.accountTaken, "The account \(credentials.account) exists already")
        guard try await accounts.account(named: credentials.account) == nil else { throw taken }
        let hash = try await hasher.hash(credentials.password, for: uid)
        let account = LocalAccount(account: credentials.account, nickname: nickname, password: hash)
        guard try await accounts.add(account) else { throw taken }
        return Self.page(of: account)
    }

    /// Reads the account.
    public func page(_ token: VaultToken, etag: String?) async throws -> PageAnswer {
        .page(Self.page(of: try await verified(token)), etag: nil)
    }

    /// Takes the message.
    public func deliver(_ text: String, key: String, with token: VaultToken) async throws {
        _ = try await verified(token)
    }

    private func verified(_ token: VaultToken) async throws -> LocalAccount {
        let parts = token.access.revealed.split(separator: ".")
        guard let account = try await accounts.account(named: token.account), parts.count == 2,
            let nonce = Data(base64Encoded: String(parts[0])), let code = Data(base64Encoded: String(parts[1])),
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: nonce, using: Self.key(of: account))
        else {
            throw AccountError(.signedOut, "The account \(token.account) has to sign in again")
        }
        return account
    }

    private static func token(for account: LocalAccount) -> VaultToken {
        let nonce = SymmetricKey(size: .bits128).withUnsafeBytes { Data($0) }
        let code = Data(HMAC<SHA256>.authenticationCode(for: nonce, using: key(of: account)))
        let text = "\(nonce.base64EncodedString()).\(code.base64EncodedString())"
        return VaultToken(access: Secret(text), account: account.account)
    }

    private static func key(of account: LocalAccount) -> SymmetricKey {
        SymmetricKey(data: account.password.hash)
    }

    private static func page(of account: LocalAccount) -> AccountPage {
        AccountPage(
            account: account.account,
            nickname: account.nickname,
            balance: account.balance,
            coupons: account.coupons
        )
    }
}
