import Crypto
import FoundationEssentials
package import ViewModelKit
package import ViewModelStorage

/// A provider that keeps accounts in the daemon's store, with passwords as scrypt hashes.
///
/// A token is a random nonce with an HMAC whose key is the password's hash. It is valid until the password changes or
/// the account is removed.
package final class LocalProvider: AccountProvider {
    private let accounts: any LocalAccounts
    private let hasher: PasswordHasher

    package convenience init(accounts: any LocalAccounts) {
        self.init(accounts: accounts, cost: PasswordHasher.Cost())
    }

    init(accounts: any LocalAccounts, cost: PasswordHasher.Cost) {
        self.accounts = accounts
        hasher = PasswordHasher(cost: cost)
    }

    package var name: String { "local" }

    package var features: AccountFeatures { AccountFeatures(password: true, registration: true) }

    /// Checks the password against the account's hash; users are served round-robin.
    package func signIn(_ account: String, password: Password, for uid: UInt32) async throws -> SignIn {
        let account = try await accounts.account(named: account)
        guard try await hasher.verify(password, account?.password, for: uid), let account else {
            throw AccountError(.invalidCredentials, "The account or the password is wrong")
        }
        return SignIn(token: Self.token(for: account), page: Self.page(of: account))
    }

    /// Creates an account; users are served round-robin.
    package func register(
        _ account: String,
        password: Password,
        nickname: String?,
        for uid: UInt32
    ) async throws -> AccountPage {
        let exists = AccountError(.accountTaken, "The account \(account) exists already")
        guard try await accounts.account(named: account) == nil else { throw exists }
        let hash = try await hasher.hash(password, for: uid)
        let account = LocalAccount(account: account, nickname: nickname, password: hash)
        guard try await accounts.add(account) else { throw exists }
        return Self.page(of: account)
    }

    /// Checks the token and returns the account's page.
    package func page(_ token: VaultToken, etag: String?) async throws -> PageResult {
        .page(Self.page(of: try await verified(token)), etag: nil)
    }

    /// Checks the token and accepts the message; the message is forwarded to no backend.
    package func deliver(_ text: String, key: String, with token: VaultToken) async throws {
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
        return VaultToken(access: Password(text), account: account.account)
    }

    private static func key(of account: LocalAccount) -> SymmetricKey {
        SymmetricKey(data: account.password.hash)
    }

    private static func page(of account: LocalAccount) -> AccountPage {
        AccountPage(
            account: account.account,
            nickname: account.nickname,
            details: ["balance": account.balance, "coupon_num": account.coupons]
        )
    }
}
