public import ViewModelStore

/// Where accounts live: in the daemon, behind a JSON API, or with an OAuth provider.
///
/// Each function makes one attempt unless it says otherwise, and throws ``AccountError`` (or `CancellationError`, or the
/// store's error). Isolation: used from anywhere; nothing of it blocks.
public protocol AccountProvider: Sendable {
    /// The name that tokens are kept under.
    var name: String { get }
    /// What the provider offers.
    var features: AccountFeatures { get }

    /// Signs in by a password.
    ///
    /// - Throws: `.invalidCredentials`, `.rejected`, `.unreachable`, `.unsupported`.
    func signIn(_ credentials: Credentials) async throws -> SignIn

    /// Signs in by a password, for a user of this machine.
    ///
    /// The user matters where the provider's work is shared fairly among users. By default it does not.
    func signIn(_ credentials: Credentials, for uid: UInt32) async throws -> SignIn

    /// Makes an account; nobody is signed in by it.
    ///
    /// - Throws: `.accountTaken`, `.unsupported`.
    func register(_ credentials: Credentials, nickname: String?) async throws -> AccountPage

    /// Makes an account, for a user of this machine.
    ///
    /// The user matters where the provider's work is shared fairly among users. By default it does not.
    func register(_ credentials: Credentials, nickname: String?, for uid: UInt32) async throws -> AccountPage

    /// Fetches what is known of the account.
    ///
    /// - Parameter etag: the version that the caller has.
    /// - Throws: `.signedOut` with the backend's text when the token is good no more, `.unreachable`.
    func page(_ token: VaultToken, etag: String?) async throws -> PageAnswer

    /// Gets another token for one that has expired or is about to; nil where the provider has no such thing.
    ///
    /// - Throws: `.signedOut` when the refresh token is good no more, `.unreachable`.
    func refresh(_ token: VaultToken) async throws -> VaultToken?

    /// Tells the backend that a token is needed no more; gives up silently.
    func revoke(_ token: VaultToken) async

    /// Delivers a message; a repeated one with the same key is the same message.
    ///
    /// - Throws: `.signedOut` on a 401, `.rejected` where repeating is in vain, `.unreachable`.
    func deliver(_ text: String, key: String, with token: VaultToken) async throws

    /// Begins a sign-in on another device.
    ///
    /// - Throws: `.unsupported`, `.rejected`, `.unreachable`.
    func beginDevice() async throws -> DeviceGrant

    /// Asks whether the person has granted it.
    ///
    /// - Throws: `.rejected` when it was denied or has expired.
    func poll(_ grant: DeviceGrant) async throws -> DeviceAnswer

    /// Lets go of connections.
    func shutDown() async
}

/// What a provider offers.
public struct AccountFeatures: Hashable, Sendable {
    /// Signing in by a password.
    public var password: Bool
    /// Making accounts.
    public var registration: Bool
    /// Signing in on another device.
    public var device: Bool

    /// Names what is offered.
    public init(password: Bool = false, registration: Bool = false, device: Bool = false) {
        self.password = password
        self.registration = registration
        self.device = device
    }
}

/// What came of asking for a page.
public enum PageAnswer: Hashable, Sendable {
    /// The page, and its version where the backend names versions.
    case page(AccountPage, etag: String?)
    /// The caller has the newest one.
    case unchanged
}

extension AccountProvider {
    /// Signs in as for any user.
    public func signIn(_ credentials: Credentials, for uid: UInt32) async throws -> SignIn {
        try await signIn(credentials)
    }

    /// Makes an account as for any user.
    public func register(
        _ credentials: Credentials,
        nickname: String?,
        for uid: UInt32
    ) async throws -> AccountPage {
        try await register(credentials, nickname: nickname)
    }

    /// Offers no registration.
    public func register(_ credentials: Credentials, nickname: String?) async throws -> AccountPage {
        throw AccountError(.unsupported, "Accounts are not made here")
    }

    /// Has no refresh tokens.
    public func refresh(_ token: VaultToken) async throws -> VaultToken? { nil }

    /// Has nothing to tell.
    public func revoke(_ token: VaultToken) async {}

    /// Offers no sign-in on another device.
    public func beginDevice() async throws -> DeviceGrant {
        throw AccountError(.unsupported, "Signing in on another device is not offered here")
    }

    /// Offers no sign-in on another device.
    public func poll(_ grant: DeviceGrant) async throws -> DeviceAnswer {
        throw AccountError(.unsupported, "Signing in on another device is not offered here")
    }

    /// Has no connections.
    public func shutDown() async {}
}
