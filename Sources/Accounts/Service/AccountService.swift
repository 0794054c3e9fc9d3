package import Logging
public import ViewModelKit
package import ViewModelStorage

/// The account of each user, shared by all sessions of the user.
///
/// A daemon with the feature `.accounts` has one. Its ViewModels use it as a ``SessionAccount``.
///
/// Only the sessions of that user are notified of a change. The vault keeps the token, and the cache keeps the page.
///
/// Isolation: used from anywhere. No call blocks its thread.
public final class AccountService: DaemonService {
    /// What provides the accounts to the ViewModels of a daemon.
    package static var provision: String { "name the feature .accounts in main.swift" }

    /// The provider that holds the accounts.
    package let provider: any AccountProvider
    private let clock: SignInClock
    private let tasks: ChildTasks
    private let users: UserTable<UserAccount>

    /// Creates the service.
    ///
    /// Use it inside of ``run(_:)``, which runs its background work.
    package convenience init(provider: any AccountProvider, store: any StateStorage, logger: Logger) {
        self.init(provider: provider, store: store, logger: logger, clock: .system())
    }

    /// Creates the service with a clock for the delays after wrong passwords.
    package init(provider: any AccountProvider, store: any StateStorage, logger: Logger, clock: SignInClock) {
        let tasks = ChildTasks()
        self.provider = provider
        self.clock = clock
        self.tasks = tasks
        users = UserTable { uid in
            UserAccount(uid: uid, provider: provider, store: store, logger: logger, clock: clock, tasks: tasks)
        }
    }

    /// Runs `body`, and the background work of the service beside it.
    ///
    /// After `body` it waits for this work, at most two seconds in total, and closes the provider's connections. The
    /// work is what several callers share (a request for the page, a new token) and the revocation of tokens.
    ///
    /// - Parameter body: The use of the service.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    package func run<Result>(_ body: () async throws -> Result) async throws -> Result {
        let clock = clock
        let result: Swift.Result<Result, any Error>
        do {
            let waitForTasks: @Sendable () async -> Void = { try? await clock.sleep(clock.now() + Self.lastRequests) }
            result = .success(try await tasks.run(cancellingAfter: waitForTasks, body))
        } catch {
            result = .failure(error)
        }
        await provider.shutDown()
        return try result.get()
    }

    private static var lastRequests: Duration { .seconds(2) }

    /// Loads the stored token and page of a user, so that the user's first session shows them at once.
    package func prepare(_ uid: UInt32) async {
        await users[uid].load()
    }

    /// Lets the account of a user go, who is not present any more.
    ///
    /// - Returns: false while a request keeps the account in memory, or wrong passwords that delay the next sign-in.
    package func forget(_ uid: UInt32) -> Bool {
        users.present(uid)?.hasRecentFailure != true && users.forget(uid)
    }

    /// Reads the token and the page of a user again, because another daemon has changed them.
    ///
    /// - Returns: whether they could be read.
    @discardableResult
    package func reread(_ uid: UInt32) async -> Bool {
        await users.present(uid)?.reread() ?? true
    }

    /// Returns the current account of a user.
    package func snapshot(of uid: UInt32) -> AccountSnapshot {
        users[uid].snapshot.value
    }

    /// Returns a stream of a user's current account and its later versions.
    ///
    /// A slow reader misses intermediate versions and always gets the newest one. The call also starts the first load.
    package func snapshots(of uid: UInt32) -> AsyncStream<AccountSnapshot> {
        let user = users[uid]
        tasks.add { await user.load() }
        return user.snapshot.values()
    }

    /// Signs a user in with a password, stores the token in the vault and notifies all sessions of the user.
    ///
    /// Attempts of one user on one account run one after the other. From the fifth wrong password in a row on, the
    /// error is thrown after 1, 2, 4 … 30 seconds.
    ///
    /// - Throws: ``AccountError``, or the store's error.
    package func signIn(_ credentials: Credentials, of uid: UInt32) async throws -> AccountPage {
        try await users[uid].signIn(credentials)
    }

    /// Creates an account without signing in to it.
    ///
    /// - Throws: ``AccountError``: `.accountTaken`, `.unsupported`.
    package func register(
        _ credentials: Credentials,
        nickname: String?,
        of uid: UInt32
    ) async throws -> AccountPage {
        try await provider.register(credentials, nickname: nickname, for: uid)
    }

    /// Signs a user in with the stored token; simultaneous calls share one request.
    ///
    /// - Throws: ``AccountError``: `.unreachable`, and the sessions then show the cached page as stale; or the store's
    ///   error.
    package func autoLogin(of uid: UInt32) async throws -> AutoLoginResult {
        try await users[uid].autoLogin()
    }

    /// Signs a user out.
    ///
    /// On return, the token and the page are removed from memory and disk. The provider revokes the token in the
    /// background, and ``run(_:)`` waits up to two seconds for it.
    ///
    /// - Throws: The store's error.
    package func signOut(of uid: UInt32) async throws {
        try await users[uid].signOut()
    }

    /// Delivers a message of a user in one attempt, and in a second one with a fresh token after a 401.
    ///
    /// - Throws: ``AccountError``: `.signedOut` without a token, or if a fresh token does not cure a 401 (the user is
    ///   then signed out); `.rejected` if a repetition would fail again; `.unreachable` if it may succeed.
    package func deliver(_ text: String, key: String, of uid: UInt32) async throws {
        try await users[uid].deliver(text, key: key)
    }

    /// Runs a request with the token of a user, and a second time with a fresh token if it throws `.signedOut`.
    ///
    /// The request runs where the caller runs.
    ///
    /// - Throws: ``AccountError`` with `.signedOut` without a token, or if a fresh token does not help (the user is then
    ///   signed out); the error of the request; the store's error.
    package func withToken<Answer>(
        of uid: UInt32,
        _ request: (Password) async throws -> Answer
    ) async throws -> Answer {
        let user = users[uid]
        await user.load()
        return try await user.withToken { try await request(Password($0.access.revealed)) }.0
    }

    /// Starts a sign-in on another device and shows its prompt in all sessions of the user.
    ///
    /// - Throws: ``AccountError``.
    package func beginDevice(of uid: UInt32) async throws -> DeviceGrant {
        try await users[uid].beginDevice()
    }

    /// Polls the provider for the result of a sign-in on another device, and completes the sign-in once it is granted.
    ///
    /// - Returns: The provider's answer, and the page; the page is nil until the sign-in is granted.
    /// - Throws: ``AccountError``: `.rejected` if the sign-in was denied or has expired.
    package func poll(
        _ grant: DeviceGrant,
        of uid: UInt32
    ) async throws -> (answer: DeviceGrantStatus, page: AccountPage?) {
        try await users[uid].poll(grant)
    }

    /// Ends a sign-in on another device and removes its prompt, if it is still shown.
    ///
    /// Call it exactly once for each grant, because it also ends the attempt that the grant counts as.
    package func endDevice(_ grant: DeviceGrant, of uid: UInt32) {
        users[uid].endDevice(grant)
    }
}

/// The result of a sign-in with the stored token.
package enum AutoLoginResult: Hashable, Sendable {
    /// No token is stored, or the user signed out during the request.
    case noToken
    /// The provider accepted the token, or another sign-in succeeded during the request.
    case signedIn(AccountPage)
    /// The provider rejected the token with this text; the token was removed, and the user is signed out.
    case refused(String)
}
