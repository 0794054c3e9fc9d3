public import Logging
import Synchronization
public import ViewModelStore

/// The account of each user, one for all of the user's sessions.
///
/// A change of one user's account is told to every session of that user and to nobody else. The token is in the vault, what
/// was fetched in the cache. Isolation: used from anywhere; nothing of it blocks.
///
/// An error returns to the caller's isolation like a result. Therefore each function here and in ``OutboxService`` that awaits
/// an actor catches the actor's error and throws it again. Without that, the optimiser of Swift 6.3 gives the error to the
/// caller on another executor, and what the caller does next runs outside of its session. `Package.swift` turns that
/// optimisation off. The `catch` keeps the sources correct in a build without the flag.
public final class AccountService: Sendable {
    /// The provider that accounts live with.
    public let provider: any AccountProvider
    private let store: StateStore
    private let logger: Logger
    private let clock: SignInClock
    private let users = Mutex<[UInt32: UserAccount]>([:])

    /// Makes the service; it does nothing until somebody asks.
    public convenience init(provider: any AccountProvider, store: StateStore, logger: Logger) {
        self.init(provider: provider, store: store, logger: logger, clock: .system())
    }

    /// Makes the service with a clock for the delays after wrong passwords.
    package init(provider: any AccountProvider, store: StateStore, logger: Logger, clock: SignInClock) {
        self.provider = provider
        self.store = store
        self.logger = logger
        self.clock = clock
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
    /// Attempts of one user on one account are made one after the other. From the fifth wrong password in a row on, the error
    /// comes after 1, 2, 4 … 30 seconds.
    ///
    /// - Throws: ``AccountError``, or the store's error.
    public func signIn(_ credentials: Credentials, of uid: UInt32) async throws -> AccountPage {
        do {
            return try await user(uid).signIn(credentials)
        } catch {
            throw error
        }
    }

    /// Makes an account; nobody is signed in by it.
    ///
    /// - Throws: ``AccountError``: `.accountTaken`, `.unsupported`.
    public func register(
        _ credentials: Credentials,
        nickname: String?,
        of uid: UInt32
    ) async throws -> AccountPage {
        do {
            return try await provider.register(credentials, nickname: nickname, for: uid)
        } catch {
            throw error
        }
    }

    /// Signs a user in with the stored token; those who ask at the same time share one request.
    ///
    /// - Throws: ``AccountError``: `.unreachable`; the remembered page is then shown, as stale.
    public func autoLogin(of uid: UInt32) async throws -> AutoLoginResult {
        do {
            return try await user(uid).autoLogin()
        } catch {
            throw error
        }
    }

    /// Signs a user out.
    ///
    /// When it returns, the token and what was fetched are gone.
    /// The provider revokes the token beside the reply, however long it takes; ``shutDown()`` waits for it for a while.
    ///
    /// - Throws: the store's error.
    public func signOut(of uid: UInt32) async throws {
        do {
            return try await user(uid).signOut()
        } catch {
            throw error
        }
    }

    /// Delivers a message of a user; one attempt, and a second one with a fresh token after a 401.
    ///
    /// - Throws: ``AccountError``: `.signedOut` when no fresh token cures a 401 (the account is signed out then),
    ///   `.rejected` where repeating is in vain, `.unreachable` where it is not.
    public func deliver(_ text: String, key: String, of uid: UInt32) async throws {
        do {
            return try await user(uid).deliver(text, key: key)
        } catch {
            throw error
        }
    }

    /// Begins a sign-in on another device; the prompt is shown to all sessions of the user.
    ///
    /// - Throws: ``AccountError``.
    public func beginDevice(of uid: UInt32) async throws -> DeviceGrant {
        do {
            return try await user(uid).beginDevice()
        } catch {
            throw error
        }
    }

    /// Asks whether a sign-in on another device was granted; nil while it was not, else all is as after a sign-in.
    ///
    /// - Returns: the answer, and the page once it was granted.
    /// - Throws: ``AccountError``: `.rejected` when it was denied or has expired.
    public func poll(_ grant: DeviceGrant, of uid: UInt32) async throws -> (answer: DeviceAnswer, page: AccountPage?) {
        do {
            return try await user(uid).poll(grant)
        } catch {
            throw error
        }
    }

    /// Takes the prompt of a sign-in on another device away; without effect when it is gone.
    public func endDevice(_ grant: DeviceGrant, of uid: UInt32) {
        user(uid).endDevice(grant)
    }

    /// Lets go of connections; call it when nothing uses the service any more.
    ///
    /// Tokens that the provider has not revoked yet are given two seconds together.
    public func shutDown() async {
        let users = users.withLock { Array($0.values) }
        let clock = clock
        await withTaskGroup { group in
            group.addTask { for user in users { await user.finishRevocations() } }
            group.addTask {
                if (try? await clock.sleep(clock.now() + Self.lastRevocations)) != nil {
                    for user in users { await user.endRevocations() }
                }
            }
            await group.next()
            group.cancelAll()
        }
        await provider.shutDown()
    }

    /// Waits until the provider has revoked what it can; for tests.
    package func finishRevocations(of uid: UInt32) async {
        await user(uid).finishRevocations()
    }

    private static var lastRevocations: Duration { .seconds(2) }

    private func user(_ uid: UInt32) -> UserAccount {
        users.withLock { users in
            if let user = users[uid] { return user }
            let user = UserAccount(uid: uid, provider: provider, store: store, logger: logger, clock: clock)
            users[uid] = user
            return user
        }
    }
}
