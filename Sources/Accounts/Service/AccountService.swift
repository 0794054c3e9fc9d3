public import Logging
import Synchronization
public import ViewModelStore

/// The account of each user, one for all of the user's sessions.
///
/// A change of one user's account is told to every session of that user and to nobody else. The token is in the vault, what
/// was fetched in the cache. Isolation: used from anywhere; nothing of it blocks.
public final class AccountService: Sendable {
    /// The provider that accounts live with.
    public let provider: any AccountProvider
    private let store: StateStore
    private let logger: Logger
    private let users = Mutex<[UInt32: UserAccount]>([:])

    /// Makes the service; it does nothing until somebody asks.
    public init(provider: any AccountProvider, store: StateStore, logger: Logger) {
        self.provider = provider
        self.store = store
        self.logger = logger
    }

    /// Loads what is remembered of a user, so that the first session shows it at once.
    public func prepare(_ uid: UInt32) async {
        await user(uid).load()
    }

    /// The account of a user now.
    public func snapshot(of uid: UInt32) -> AccountSnapshot {
        user(uid).snapshot.value
    }

    /// The account of a user now, then whenever it changes; who is slow gets the newest.
    public func snapshots(of uid: UInt32) -> AsyncStream<AccountSnapshot> {
        let user = user(uid)
        Task { await user.load() }
        return user.snapshot.values()
    }

    /// Signs a user in by a password; when it returns, the token is in the vault and all sessions are being told.
    ///
    /// - Throws: ``AccountError``, or the store's error.
    public func signIn(_ credentials: Credentials, of uid: UInt32) async throws -> AccountPage {
        try await user(uid).signIn(credentials)
    }

    /// Makes an account; nobody is signed in by it.
    ///
    /// - Throws: ``AccountError``: `.accountTaken`, `.unsupported`.
    public func register(_ credentials: Credentials, nickname: String?) async throws -> AccountPage {
        try await provider.register(credentials, nickname: nickname)
    }

    /// Signs a user in with the stored token; those who ask at the same time share one request.
    ///
    /// - Throws: ``AccountError``: `.unreachable`; the remembered page is then shown, as stale.
    public func autoLogin(of uid: UInt32) async throws -> AutoLogin {
        try await user(uid).autoLogin()
    }

    /// Signs a user out: the token and what was fetched are gone, then the token is revoked.
    ///
    /// - Throws: the store's error.
    public func signOut(of uid: UInt32) async throws {
        try await user(uid).signOut()
    }

    /// Delivers a message of a user; one attempt, and a second one with a fresh token after a 401.
    ///
    /// - Throws: ``AccountError``: `.signedOut` when no fresh token cures a 401 (the account is signed out then),
    ///   `.rejected` where repeating is in vain, `.unreachable` where it is not.
    public func deliver(_ text: String, key: String, of uid: UInt32) async throws {
        try await user(uid).deliver(text, key: key)
    }

    /// Begins a sign-in on another device; the prompt is shown to all sessions of the user.
    ///
    /// - Throws: ``AccountError``.
    public func beginDevice(of uid: UInt32) async throws -> DeviceGrant {
        try await user(uid).beginDevice()
    }

    /// Asks whether a sign-in on another device was granted; nil while it was not, else all is as after a sign-in.
    ///
    /// - Returns: the answer, and the page once it was granted.
    /// - Throws: ``AccountError``: `.rejected` when it was denied or has expired.
    public func poll(_ grant: DeviceGrant, of uid: UInt32) async throws -> (answer: DeviceAnswer, page: AccountPage?) {
        try await user(uid).poll(grant)
    }

    /// Takes the prompt of a sign-in on another device away; without effect when it is gone.
    public func endDevice(_ grant: DeviceGrant, of uid: UInt32) {
        user(uid).endDevice(grant)
    }

    /// Lets go of connections; call it when nothing uses the service any more.
    public func shutDown() async {
        await provider.shutDown()
    }

    private func user(_ uid: UInt32) -> UserAccount {
        users.withLock { users in
            if let user = users[uid] { return user }
            let user = UserAccount(uid: uid, provider: provider, store: store, logger: logger)
            users[uid] = user
            return user
        }
    }
}
