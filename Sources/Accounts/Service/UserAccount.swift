import FoundationEssentials
import Logging
import ViewModelStorage

/// The account of one user: its token, its page, and the snapshot that all sessions of the user show.
actor UserAccount {
    nonisolated let snapshot = ObservableValue(AccountSnapshot())
    let uid: UInt32
    let provider: any AccountProvider
    let store: any StateStorage
    let logger: Logger
    /// Serializes the changes of token and page.
    let mutex = AsyncMutex()
    var token: VaultToken?
    var etag: String?
    private var isLoaded = false
    /// The requests in flight, which simultaneous callers share.
    var fetching: SharedResult<AutoLoginResult>?
    var refreshing: (old: VaultToken, fresh: SharedResult<VaultToken?>)?
    /// The children of the service.
    let tasks: ChildTasks

    let clock: SignInClock
    private let signInAttempts = SignInAttempts()
    private var revocations = RevocationQueue()

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

    /// Reads the stored token and page once; the next call repeats a failed read.
    func load() async {
        guard !isLoaded else { return }
        await mutex.withLock {
            guard !isLoaded else { return }
            do {
                if token == nil { try await read() }
                isLoaded = true
            } catch {
                logger.error("The stored token cannot be read", metadata: ["uid": "\(uid)", "error": "\(error)"])
            }
        }
    }

    /// Reads the token and the page again, because another daemon has changed them.
    ///
    /// - Returns: whether they could be read.
    func reread() async -> Bool {
        await mutex.withLock {
            guard isLoaded else { return true }
            do {
                try await read()
                return true
            } catch {
                logger.error("The stored token cannot be read", metadata: ["uid": "\(uid)", "error": "\(error)"])
                return false
            }
        }
    }

    /// Reads the token and the page, and shows them.
    ///
    /// The caller holds the mutex.
    func read() async throws {
        guard let stored = try await store.vault.token(of: uid, provider: provider.name) else { return showSignedOut() }
        let entry = try await store.cache.entry(of: uid)
        let page = entry.flatMap { try? JSONDecoder().decode(AccountPage.self, from: Data($0.value)) }
        let (isLoaded, isSameAccount) = (isLoaded, token?.account == stored.account)
        token = stored
        etag = page == nil ? nil : entry?.etag
        updateSnapshot {
            $0.state = .signedIn
            if let entry, let page, page != $0.page || entry.fetchedAt > $0.fetchedAt ?? .distantPast {
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

    /// Shows that no token is stored.
    private func showSignedOut() {
        token = nil
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
        snapshot.update { current in
            var new = current
            change(&new)
            guard new != current else { return }
            new.revision += 1
            current = new
        }
    }

    // MARK: Signing in

    func signIn(_ credentials: Credentials) async throws -> AccountPage {
        await load()
        beginSigningIn()
        do {
            return try await signInAttempts.withAttempts(on: credentials.account, now: clock.now()) { attempts in
                try await attempts.mutex.withLock { try await attempt(credentials, attempts) }
            }
        } catch {
            endSigningIn()
            throw error
        }
    }

    /// Makes one attempt after the delay of the previous one, and reports a wrong password after its own delay.
    private func attempt(_ credentials: Credentials, _ attempts: SignInAttempts.Account) async throws -> AccountPage {
        try await wait(until: attempts.earliest)
        do {
            let signIn = try await provider.signIn(credentials, for: uid)
            signInAttempts.recordSuccess(on: attempts)
            return try await accept(signIn)
        } catch let error as AccountError where error.kind == .invalidCredentials {
            let delay = signInAttempts.recordFailure(on: attempts, now: clock.now())
            if delay > .zero {
                logger.warning(
                    "A sign-in failed again; the next attempt on this account waits",
                    metadata: [
                        "uid": "\(uid)", "account": "\(credentials.account)", "failures": "\(attempts.failures)",
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
            do {
                try await cachePage(signIn.page, etag: signIn.etag)
            } catch {
                // The token is in the vault, so the user stays signed in after a restart. The page is fetched then.
                etag = nil
                logger.error("The account page cannot be stored", metadata: ["uid": "\(uid)", "error": "\(error)"])
            }
            let now = Date()
            updateSnapshot {
                $0.attempts -= 1
                $0.state = .signedIn
                $0.page = signIn.page
                $0.device = nil
                $0.fetchedAt = now
                $0.isStale = false
            }
            return former
        }
        if let former, former != signIn.token { revoke(former) }
        return signIn.page
    }

    private func beginSigningIn() {
        updateSnapshot {
            $0.attempts += 1
            if $0.state == .signedOut { $0.state = .signingIn }
        }
    }

    private func endSigningIn() {
        updateSnapshot { $0.endAttempt() }
    }

    /// Stores a page in the cache for the next start.
    func cachePage(_ page: AccountPage, etag: String?) async throws {
        let text = try JSONEncoder().encode(page)
        try await store.cache.store([UInt8](text), etag: etag, of: uid)
        // Only now: with the etag of a page that is not shown, the next answer would be "unchanged".
        self.etag = etag
    }

    // MARK: On another device

    func beginDevice() async throws -> DeviceGrant {
        await load()
        beginSigningIn()
        do {
            let grant = try await provider.beginDevice()
            // A cancelled caller never removes the prompt. Therefore the prompt is not shown after a cancellation.
            try Task.checkCancellation()
            updateSnapshot { $0.device = grant.prompt }
            return grant
        } catch {
            endSigningIn()
            throw error
        }
    }

    func poll(_ grant: DeviceGrant) async throws -> (answer: DeviceGrantStatus, page: AccountPage?) {
        let answer = try await provider.poll(grant)
        guard case .granted(let signIn) = answer else { return (answer, nil) }
        // `accept` ends this attempt. `endDevice` ends the attempt of the grant.
        updateSnapshot { $0.attempts += 1 }
        do {
            return (answer, try await accept(signIn))
        } catch {
            endSigningIn()
            throw error
        }
    }

    nonisolated func endDevice(_ grant: DeviceGrant) {
        updateSnapshot {
            if $0.device == grant.prompt { $0.device = nil }
            $0.endAttempt()
        }
    }

    // MARK: Signing out

    func signOut() async throws {
        await load()
        guard let former = try await removeToken(ifCurrent: token) else { return }
        revoke(former)
    }

    /// Revokes a token in the background, without delaying the reply to the user.
    ///
    /// The account and the disk do not hold the token any more.
    private func revoke(_ token: VaultToken) {
        let wasIdle = revocations.isIdle
        if revocations.add(token) {
            logger.warning(
                "A token was not revoked: too many wait for the provider",
                metadata: ["uid": "\(uid)", "limit": "\(RevocationQueue.limit)"]
            )
        }
        if wasIdle { tasks.add { await self.revokeAll() } }
    }

    private func revokeAll() async {
        while !Task.isCancelled, let token = revocations.next() { await provider.revoke(token) }
    }

    /// Removes the token and the page if the current token is `unwanted`, and returns the removed token.
    @discardableResult
    func removeToken(ifCurrent unwanted: VaultToken?) async throws -> VaultToken? {
        try await mutex.withLock {
            guard let former = token, former == unwanted else { return nil }
            // Remove the page first. If the daemon dies in between, no page of a signed-out user stays on disk.
            try await store.cache.remove(of: uid)
            etag = nil
            try await store.vault.remove(of: uid, provider: provider.name)
            showSignedOut()
            return former
        }
    }
}
