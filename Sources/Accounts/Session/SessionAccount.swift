public import FoundationEssentials
public import ViewModelKit
public import ViewModelStorage

/// The account of the session's user: its state, signing in and out, and requests with its token.
///
/// A ViewModel gets it as a parameter of its `init`. All ViewModels of the session share it, and all sessions of the
/// user show the same account. Outputs may read its properties; a change in another session is a step of its own here.
///
///     /// The signed-in user, or null.
///     @Output var user: AccountPage? { account.page }
///
/// The feature `.accounts` of a daemon provides it. The configuration's section `account` says who holds the accounts. The
/// token is encrypted on disk, so the user is signed in again after a restart.
///
/// Each function updates the properties before it returns. Isolation: confined to its session.
@SharedModel
public final class SessionAccount {
    private let user: UserAccount
    private let clock: SessionClock
    @State private var snapshot: AccountSnapshot

    init(service: AccountService, clock: SessionClock, context: ViewModelContext) {
        user = service[context.uid]
        self.clock = clock
        snapshot = user.snapshot
        $snapshot.follow(user.changes()) { [user] _ in user.snapshot }
    }

    // MARK: State

    /// The sign-in state.
    public var state: AccountState { snapshot.state }
    /// Whether the user is signed in.
    public var isSignedIn: Bool { snapshot.state == .signedIn }
    /// The data of the account that the provider sent last; nil while the user is signed out.
    ///
    /// An output can show it as it is. Its `details` depend on the provider: an OAuth provider sends `phone_number`, with
    /// its middle digits masked.
    public var page: AccountPage? { snapshot.page }
    /// When the provider last sent or confirmed the page; nil if it never did.
    public var fetchedAt: Date? { snapshot.fetchedAt }
    /// Whether the page is from an earlier run of the daemon, or the last request did not reach the provider.
    public var isStale: Bool { snapshot.isStale }
    /// The prompt of ``signInWithDevice()`` while it waits for the person, in any session of the user.
    public var device: DevicePrompt? { snapshot.device }
    /// The operations that the provider offers.
    public var features: AccountFeatures { user.provider.features }

    // MARK: Signing in and out

    /// Signs in with a password and stores the token.
    ///
    /// Attempts on one account run one after the other. From the fifth wrong password in a row on, the error is thrown
    /// after 1, 2, 4 … 30 seconds.
    ///
    /// - Parameters:
    ///   - account: the name of the account.
    ///   - password: the password.
    /// - Returns: the data of the account.
    /// - Throws: ``AccountError`` with `.invalidCredentials`, `.rejected`, `.unreachable` or `.unsupported`; an error of
    ///   the store.
    @discardableResult
    public func signIn(_ account: String, password: Password) async throws -> AccountPage {
        try await updated { try await user.signIn(account, password: password) }
    }

    /// Signs in on another device: shows ``device`` until the person has granted or denied the sign-in there.
    ///
    /// Only an OAuth provider offers it. A cancellation of the action ends the attempt.
    ///
    /// - Returns: the data of the account.
    /// - Throws: ``AccountError`` with `.rejected` if the sign-in was denied or has expired, `.unreachable` or
    ///   `.unsupported`; an error of the store.
    @discardableResult
    public func signInWithDevice() async throws -> AccountPage {
        try await updated {
            let grant = try await user.beginDevice()
            defer { user.endDevice(grant) }
            update()
            return try await pollUntilGranted(grant)
        }
    }

    /// Polls at the provider's interval until the sign-in is granted, denied or expired (RFC 8628, section 3.5).
    private func pollUntilGranted(_ grant: DeviceGrant) async throws -> AccountPage {
        var interval = grant.interval
        while true {
            // The last poll runs when the code expires. Its answer ends the sign-in and removes the prompt.
            try await clock.sleep(for: min(interval, grant.remaining))
            do {
                let (answer, page) = try await user.poll(grant)
                if let page { return page }
                if case .slowDown = answer { interval += .seconds(5) }
            } catch let error as AccountError where error.kind == .unreachable {
                interval = min(max(interval * 2, error.retryAfter ?? .zero), .seconds(3_600))
            }
        }
    }

    /// Creates an account without signing in to it.
    ///
    /// Only the provider `local` offers it.
    ///
    /// - Parameters:
    ///   - account: the name of the account.
    ///   - password: the password.
    ///   - nickname: the name by which the person is addressed.
    /// - Returns: the data of the account.
    /// - Throws: ``AccountError`` with `.accountTaken` or `.unsupported`; an error of the store.
    @discardableResult
    public func register(_ account: String, password: Password, nickname: String? = nil) async throws -> AccountPage {
        try await updated {
            try await user.provider.register(account, password: password, nickname: nickname, for: user.uid)
        }
    }

    /// Signs the user out in all sessions.
    ///
    /// On return, the token and the page are removed from memory and disk. The provider revokes the token in the
    /// background.
    ///
    /// - Throws: an error of the store.
    public func signOut() async throws {
        try await updated { try await user.signOut() }
    }

    // MARK: Requests

    /// Fetches the page with the stored token; simultaneous calls share one request.
    ///
    /// - Returns: the data of the account, or nil while the user is signed out.
    /// - Throws: ``AccountError`` with `.signedOut` if the provider no longer accepts the token (the user is then signed
    ///   out), or `.unreachable` (the last page stays and is stale); an error of the store.
    @discardableResult
    public func refresh() async throws -> AccountPage? {
        try await updated { try await user.autoLogin() }
    }

    /// Runs a request of your own with the user's token.
    ///
    /// If the token is about to expire, it is refreshed before. If the request throws ``AccountError/Kind/signedOut``,
    /// because the server answered 401, it runs once more with a fresh token; if that fails too, the user is signed out.
    ///
    ///     let stars = try await account.withToken { token in try await server.stars(bearer: token.revealed) }
    ///
    /// - Parameter request: makes the request. It runs on the session and may use the ViewModel. The token belongs into a
    ///   header only, never into an output, a log or an error.
    /// - Returns: the result of the request.
    /// - Throws: ``AccountError`` with `.signedOut` while the user is signed out, or if a fresh token does not help; the
    ///   error of the request; an error of the store.
    public func withToken<Answer>(_ request: (Password) async throws -> Answer) async throws -> Answer {
        try await updated { try await user.withToken { try await request($0.access) }.0 }
    }

    /// Delivers a message of the outbox to the provider, in one attempt and with the message's id as its key.
    ///
    /// It is for ``SessionOutbox/send(_:retryingFailed:attempts:deliver:)``. The provider `http` sends `POST /messages`,
    /// `oauth` the same if `account.url` is set, and `local` accepts each message.
    ///
    /// - Throws: ``AccountError`` with `.signedOut`, `.rejected` if a repetition would fail again, or `.unreachable`; an
    ///   error of the store.
    public func deliver(_ message: OutboxMessage) async throws {
        try await updated { try await user.deliver(message.text, key: message.id) }
    }

    // MARK: Updates

    /// Runs `body`, then shows what it has changed before the service's stream delivers it, also after an error.
    private func updated<Result>(_ body: () async throws -> Result) async throws -> Result {
        defer { update() }
        return try await reportingStore(body)
    }

    private func update() { snapshot = user.snapshot }
}
