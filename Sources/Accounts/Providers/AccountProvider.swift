package import ViewModelKit
import ViewModelStorage

/// A provider of accounts: the daemon, a JSON API or an OAuth server.
///
/// Each function makes one attempt unless its comment states otherwise. It throws ``AccountError``,
/// `CancellationError` or the store's error.
///
/// Isolation: used from anywhere. No call blocks its thread.
package protocol AccountProvider: Sendable {
    /// The name under which the vault keeps the provider's tokens.
    var name: String { get }
    var features: AccountFeatures { get }

    /// Signs in with a password.
    ///
    /// A provider that shares its work among users serves them by uid. Others ignore it.
    ///
    /// - Throws: `.invalidCredentials`, `.rejected`, `.unreachable`, `.unsupported`.
    func signIn(_ account: String, password: Password, for uid: UInt32) async throws -> SignIn

    /// Creates an account without signing in to it.
    ///
    /// A provider that shares its work among users serves them by uid. Others ignore it.
    ///
    /// - Throws: `.accountTaken`, `.unsupported`.
    func register(
        _ account: String,
        password: Password,
        nickname: String?,
        for uid: UInt32
    ) async throws -> AccountPage

    /// Fetches the page of the account, unless `etag` is the version of the newest one.
    ///
    /// - Throws: `.signedOut` with the backend's text if the token is no longer valid, `.unreachable`.
    func page(_ token: VaultToken, etag: String?) async throws -> PageResult

    /// Requests a new token for one that has expired or is about to expire.
    ///
    /// Returns nil if the provider cannot refresh the token.
    ///
    /// - Throws: `.signedOut` if the refresh token is no longer valid, `.unreachable`.
    func refresh(_ token: VaultToken) async throws -> VaultToken?

    /// Revokes a token at the backend, and ignores a failure.
    func revoke(_ token: VaultToken) async

    /// Delivers a message; a repetition with the same key is the same message.
    ///
    /// - Throws: `.signedOut` on a 401, `.rejected` if a repetition would fail again, `.unreachable`.
    func deliver(_ text: String, key: String, with token: VaultToken) async throws

    /// Starts a sign-in on another device.
    ///
    /// - Throws: `.unsupported`, `.rejected`, `.unreachable`.
    func beginDevice() async throws -> DeviceGrant

    /// Polls for the person's decision about a sign-in on another device.
    ///
    /// - Throws: `.rejected` if the sign-in was denied or has expired.
    func poll(_ grant: DeviceGrant) async throws -> DeviceGrantStatus

    func shutDown() async
}

/// The operations that an account provider offers.
public struct AccountFeatures: Hashable, Sendable {
    /// Whether the provider signs in with a password.
    public var password: Bool
    /// Whether the provider creates accounts.
    public var registration: Bool
    /// Whether the provider signs in on another device.
    public var device: Bool

    package init(password: Bool = false, registration: Bool = false, device: Bool = false) {
        self.password = password
        self.registration = registration
        self.device = device
    }
}

package enum PageResult: Hashable, Sendable {
    /// The page, and its version if the backend sends one.
    case page(AccountPage, etag: String?)
    /// The caller has the newest version.
    case unchanged
}

extension AccountProvider {
    package func register(
        _ account: String,
        password: Password,
        nickname: String?,
        for uid: UInt32
    ) async throws -> AccountPage {
        throw AccountError(.unsupported, "Accounts are not made here")
    }

    package func refresh(_ token: VaultToken) async throws -> VaultToken? { nil }

    package func revoke(_ token: VaultToken) async {}

    package func beginDevice() async throws -> DeviceGrant {
        throw AccountError(.unsupported, "Signing in on another device is not offered here")
    }

    package func poll(_ grant: DeviceGrant) async throws -> DeviceGrantStatus {
        throw AccountError(.unsupported, "Signing in on another device is not offered here")
    }

    package func shutDown() async {}
}

/// The result of a sign-in: a token and the account's page.
package struct SignIn: Sendable {
    /// The token that authorizes later requests.
    package var token: VaultToken
    package var page: AccountPage
    /// The version of the page; nil if the backend sends none.
    package var etag: String?

    package init(token: VaultToken, page: AccountPage, etag: String? = nil) {
        self.token = token
        self.page = page
        self.etag = etag
    }
}
