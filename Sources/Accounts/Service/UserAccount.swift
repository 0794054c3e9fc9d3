import FoundationEssentials
import Logging
import Synchronization
package import ViewModelKit
import ViewModelProtocol
import ViewModelStorage

/// The account of one user: its token, its page, and the snapshot that all sessions of the user show.
///
/// Isolation: used from anywhere. No call blocks its thread.
package actor UserAccount {
    private nonisolated let shown = Mutex(AccountSnapshot())
    private nonisolated let signal = ChangeSignal()
    let uid: UInt32
    package let provider: any AccountProvider
    let store: any StateStorage
    let logger: Logger
    /// Serializes the changes of token and page.
    let mutex = AsyncMutex()
    var token: VaultToken?
    var etag: String?
    private var isLoaded = false
    /// The error of the latest attempt to read the stored token; nil after a success.
    private(set) var loadError: (any Error)?
    /// A token that is not in the vault yet, and the one in the vault that it replaces.
    private var unsaved: (token: VaultToken, former: VaultToken)?
    /// The requests in flight, which simultaneous callers share.
    var fetching: Task<AccountPage?, any Error>?
    var refreshing: (old: VaultToken, fresh: Task<VaultToken?, any Error>)?
    let tasks: ChildTasks

    let clock: SignInClock
    private let signInAttempts = SignInAttempts()
    private let latestFailure = Mutex<Duration?>(nil)
    /// The maximum number of tokens that wait for their revocation; a further one drops the oldest.
    static let revocationLimit = 16
    /// The tokens that a task revokes one after the other, so that a user has at most one such request in flight.
    private var revocations: [VaultToken] = []
    private var isRevoking = false

    init(
        uid: UInt32,
        provider: any AccountProvider,
        store: any StateStorage,
        logger: Logger,
        clock: SignInClock,
        tasks: ChildTasks
    ) {
        self.uid = uid
        self.provider = provider
        self.store = store
        self.logger = logger
        self.clock = clock
        self.tasks = tasks
    }

    /// Whether a sign-in has failed so lately that the next one may be delayed.
    nonisolated var hasRecentFailure: Bool {
        latestFailure.withLock { $0 }.map { clock.now() - $0 <= SignInAttempts.resetInterval } ?? false
    }

    /// Returns a stream with an element now and after later changes of ``snapshot``.
    ///
    /// The call also starts the first load.
    nonisolated func changes() -> AsyncStream<Void> {
        tasks.add { await self.load() }
        return signal.stream()
    }

    package nonisolated var snapshot: AccountSnapshot { shown.withLock { $0 } }

    /// Reads the stored token and page once; the next call repeats a failed read.
    func load() async {
        guard !isLoaded else { return }
        await mutex.withLock {
            guard !isLoaded else { return }
            if token != nil { isLoaded = true } else { await readOrLog() }
        }
    }

    /// Reads the token and the page again, because another daemon has changed them.
    ///
    /// - Returns: whether they could be read.
    func reread() async -> Bool {
        await mutex.withLock {
            guard isLoaded || loadError != nil else { return true }
            return await readOrLog()
        }
    }

    /// Reads the token and the page; returns whether they could be read.
    @discardableResult
    private func readOrLog() async -> Bool {
        do {
            try await read()
            (isLoaded, loadError) = (true, nil)
            return true
        } catch {
            loadError = error
            logFailure("The stored token cannot be read", error)
            return false
        }
    }

    /// Logs a failure of the store, which logs by itself when it is not available.
    private func logFailure(_ message: Logger.Message, _ error: any Error) {
        guard (error as? StoreError)?.isUnavailable != true else { return }
        logger.error(message, metadata: ["uid": "\(uid)", "error": "\(error)"])
    }

    /// Reads the token and the page, and shows them.
    ///
    /// The caller holds the mutex.
    private func read() async throws {
        guard let stored = try await storedToken() else { return showSignedOut() }
        let entry = try await store.cache.entry(of: uid)
        let cached = entry.flatMap { try? JSONDecoder().decode(AccountPage.self, from: Data($0.value)) }?.shown
        // Another daemon may have stored the page of the account that was signed in before.
        let page = areExactlyEqual(cached?.account, stored.account) ? cached : nil
        let isSameAccount = areExactlyEqual(token?.account, stored.account)
        let (isLoaded, isNew) = (isLoaded, token != stored)
        token = stored
        etag = page == nil ? nil : entry?.etag.flatMap { $0.isValidEntityTag ? $0 : nil }
        updateSnapshot {
            $0.state = .signedIn
            if isNew { $0.device = nil }
            if let entry, let page, !areExactlyEqual(page, $0.page) || entry.fetchedAt != $0.fetchedAt {
                $0.page = page
                $0.fetchedAt = entry.fetchedAt
                // A page that another daemon has fetched meanwhile is current. One from before the start may not be.
                $0.isStale = !isLoaded
            } else if !isSameAccount || $0.page == nil {
                $0.page = AccountPage(account: stored.account)
                $0.fetchedAt = nil
                $0.isStale = true
            }
        }
    }

    /// Returns the token in the vault, after an unsaved one has replaced its former one there.
    ///
    /// A token that no request can carry is removed.
    private func storedToken() async throws -> VaultToken? {
        let stored = try await store.vault.token(of: uid, provider: provider.name)
        if let stored, !stored.isUsable {
            try await store.cache.remove(of: uid)
            try await store.vaultRecords.remove(of: uid, provider: provider.name)
            logger.warning(
                "The stored token is too long for a request and was removed; the user must sign in again",
                metadata: ["uid": "\(uid)"]
            )
            return nil
        }
        guard let unsaved else { return stored }
        if stored == unsaved.former {
            try await store.vault.store(unsaved.token, of: uid, provider: provider.name)
        }
        self.unsaved = nil
        return stored == unsaved.former ? unsaved.token : stored
    }

    /// Whether a token is still the current one.
    ///
    /// With a store that several daemons share, the token is read again, because a notice of its change may be under way.
    /// The caller holds the mutex.
    func isCurrent(_ old: VaultToken) async throws -> Bool {
        if store.sharing != nil { try await read() }
        return token == old
    }

    /// Stores a token instead of another one.
    ///
    /// If the store is not available, the token is used nevertheless and stored later: the provider accepts the former one no
    /// longer. The caller holds the mutex.
    func replace(_ former: VaultToken, with fresh: VaultToken) async {
        token = fresh
        do {
            try await store.vault.store(fresh, of: uid, provider: provider.name)
            unsaved = nil
        } catch {
            logger.error("The new token cannot be stored yet", metadata: ["uid": "\(uid)", "error": "\(error)"])
            let isSaving = unsaved != nil
            unsaved = (fresh, unsaved?.former ?? former)
            if !isSaving { tasks.add { await self.saveToken() } }
        }
    }

    /// Stores the unsaved token, and repeats that with a backoff until the store has it.
    private func saveToken() async {
        var backoff = Backoff(maximum: .seconds(30))
        while unsaved != nil {
            // At a stop of the daemon comes the last attempt.
            let isLast = (try? await Task.sleep(for: backoff.delay())) == nil
            await mutex.withLock { if unsaved != nil { await readOrLog() } }
            if isLast { return }
        }
    }

    private func showSignedOut() {
        token = nil
        unsaved = nil
        etag = nil
        updateSnapshot {
            $0.state = $0.attempts > 0 ? .signingIn : .signedOut
            $0.page = nil
            $0.fetchedAt = nil
            $0.isStale = false
        }
    }

    /// Changes the snapshot and notifies all sessions once.
    nonisolated func updateSnapshot(_ change: @Sendable (inout AccountSnapshot) -> Void) {
        let isChanged = shown.withLock { current in
            var new = current
            change(&new)
            guard new != current else { return false }
            new.revision += 1
            current = new
            return true
        }
        if isChanged { signal.send() }
    }

    // MARK: Signing in

    /// Signs in with a password, stores the token in the vault and notifies all sessions of the user.
    ///
    /// ``SignInAttempts`` delays the error of a wrong password.
    ///
    /// - Throws: ``AccountError``, or the store's error.
    package func signIn(_ account: String, password: Password) async throws -> AccountPage {
        await load()
        return try await signingIn {
            try await signInAttempts.withAttempts(on: account, now: clock.now()) { attempts in
                try await attempts.mutex.withLock { try await attempt(account, password, attempts) }
            }
        }
    }

    /// Shows that a sign-in is in progress until `body` throws; the caller ends a successful one.
    private func signingIn<Result>(_ body: () async throws -> Result) async throws -> Result {
        updateSnapshot {
            $0.attempts += 1
            if $0.state == .signedOut { $0.state = .signingIn }
        }
        do {
            return try await body()
        } catch {
            updateSnapshot { $0.endAttempt() }
            throw error
        }
    }

    /// Makes one attempt after the delay of the previous one, and reports a wrong password after its own delay.
    private func attempt(
        _ account: String,
        _ password: Password,
        _ attempts: SignInAttempts.Account
    ) async throws -> AccountPage {
        try await wait(until: attempts.earliest)
        do {
            let signIn = try await provider.signIn(account, password: password, for: uid)
            signInAttempts.recordSuccess(on: attempts)
            return try await accept(signIn)
        } catch let error as AccountError where error.kind == .invalidCredentials {
            latestFailure.withLock { $0 = clock.now() }
            let delay = signInAttempts.recordFailure(on: attempts, now: clock.now())
            if delay > .zero {
                logger.warning(
                    "A sign-in failed again; the next attempt on this account waits",
                    metadata: [
                        "uid": "\(uid)", "account": "\(account)", "failures": "\(attempts.failures)",
                        "seconds": "\(delay.components.seconds)",
                    ]
                )
                try await wait(until: attempts.earliest)
            }
            throw error
        }
    }

    private func wait(until moment: Duration) async throws {
        try Task.checkCancellation()
        if moment > clock.now() { try await clock.sleep(moment) }
    }

    /// Stores the token in the vault and the page in the cache, then updates the snapshot and revokes the former token.
    private func accept(_ signIn: SignIn) async throws -> AccountPage {
        let former = try await mutex.withLock {
            let former = token
            try await store.vault.store(signIn.token, of: uid, provider: provider.name)
            token = signIn.token
            unsaved = nil
            var time: Date?
            do {
                time = try await cachePage(signIn.page, etag: signIn.etag)
            } catch {
                // The token is in the vault, so the user stays signed in after a restart. The page is fetched then.
                etag = nil
                logFailure("The account page cannot be stored", error)
            }
            let fetchedAt = time ?? Date()
            updateSnapshot {
                $0.attempts -= 1
                $0.state = .signedIn
                $0.page = signIn.page
                $0.device = nil
                $0.fetchedAt = fetchedAt
                $0.isStale = false
            }
            return former
        }
        if let former, former != signIn.token { revoke(former) }
        return signIn.page
    }

    /// Stores a page in the cache for the next start.
    ///
    /// - Returns: the time that the cache has recorded; nil if the page is too large for the cache.
    /// - Throws: `StoreError`.
    func cachePage(_ page: AccountPage, etag: String?) async throws -> Date? {
        let text = try JSONEncoder().encode(page)
        let time = try await store.cache.store([UInt8](text), etag: etag, of: uid)
        // Only now: with the etag of a page that is not shown, the next answer would be "unchanged".
        self.etag = etag
        return time
    }

    // MARK: On another device

    /// Starts a sign-in on another device and shows its prompt in all sessions of the user.
    ///
    /// - Throws: ``AccountError``.
    package func beginDevice() async throws -> DeviceGrant {
        await load()
        return try await signingIn {
            let grant = try await provider.beginDevice()
            // A cancelled caller never removes the prompt. Therefore the prompt is not shown after a cancellation.
            try Task.checkCancellation()
            updateSnapshot { $0.device = grant.prompt }
            return grant
        }
    }

    /// Polls the provider for the result of a sign-in on another device, and completes the sign-in once it is granted.
    ///
    /// - Returns: The provider's answer, and the page; the page is nil until the sign-in is granted.
    /// - Throws: ``AccountError``: `.rejected` if the sign-in was denied or has expired.
    package func poll(_ grant: DeviceGrant) async throws -> (answer: DeviceGrantStatus, page: AccountPage?) {
        let answer = try await provider.poll(grant)
        guard case .granted(let signIn) = answer else { return (answer, nil) }
        // `accept` ends this attempt. `endDevice` ends the attempt of the grant.
        return (answer, try await signingIn { try await accept(signIn) })
    }

    /// Ends a sign-in on another device and removes its prompt, if it is still shown.
    ///
    /// Call it exactly once for each grant, because it also ends the attempt that the grant counts as.
    package nonisolated func endDevice(_ grant: DeviceGrant) {
        updateSnapshot {
            if $0.device == grant.prompt { $0.device = nil }
            $0.endAttempt()
        }
    }

    // MARK: Signing out

    /// Signs the user out.
    ///
    /// On return, the token and the page are removed from memory and disk. The provider revokes the token in the
    /// background.
    ///
    /// - Throws: The store's error.
    package func signOut() async throws {
        await load()
        let former = try await mutex.withLock { () -> VaultToken? in
            // Another daemon may have refreshed the token.
            if store.sharing != nil { try await read() }
            return try await removeToken()
        }
        if let former { revoke(former) }
    }

    /// Revokes a token in the background, without delaying the reply to the user.
    ///
    /// The account and the disk do not hold the token any more.
    func revoke(_ token: VaultToken) {
        revocations.append(token)
        if revocations.count > Self.revocationLimit {
            revocations.removeFirst()
            logger.warning(
                "A token was not revoked: too many wait for the provider",
                metadata: ["uid": "\(uid)", "limit": "\(Self.revocationLimit)"]
            )
        }
        guard !isRevoking else { return }
        isRevoking = true
        tasks.add { await self.revokeAll() }
    }

    private func revokeAll() async {
        defer { isRevoking = false }
        while !Task.isCancelled, !revocations.isEmpty { await provider.revoke(revocations.removeFirst()) }
    }

    /// Removes the token and the page if the current token is `unwanted`.
    func removeToken(ifCurrent unwanted: VaultToken) async throws {
        try await mutex.withLock {
            guard token == unwanted, try await isCurrent(unwanted) else { return }
            try await removeToken()
        }
    }

    /// Removes the token and the page, and returns the token.
    ///
    /// The caller holds the mutex.
    @discardableResult
    private func removeToken() async throws -> VaultToken? {
        guard let former = token else { return nil }
        // Remove the page first. If the daemon dies in between, no page of a signed-out user stays on disk.
        try await store.cache.remove(of: uid)
        etag = nil
        try await store.vaultRecords.remove(of: uid, provider: provider.name)
        showSignedOut()
        return former
    }
}
