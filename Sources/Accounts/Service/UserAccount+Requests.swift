import FoundationEssentials
import Logging
import ViewModelKit
import ViewModelStorage

extension UserAccount {
    /// Signs in with the stored token; simultaneous calls share one request.
    ///
    /// - Returns: the page of the account that is signed in; nil if none is, or the user signed out during the request.
    /// - Throws: ``AccountError``: `.signedOut` if the provider has rejected the token, which was removed; `.unreachable`, and
    ///   the sessions then show the cached page as stale; or the store's error.
    package func autoLogin() async throws -> AccountPage? {
        await load()
        // Whether somebody is signed in is unknown until the store answers.
        if let error = loadError as? StoreError, error.isUnavailable { throw error }
        if let fetching { return try await fetching.value }
        guard token != nil else { return nil }
        let page = tasks.add(sharing: { try await self.fetch() })
        fetching = page
        // A cancelled caller waits until the request ends or times out, because the other callers need the result.
        return try await page.value
    }

    private func fetch() async throws -> AccountPage? {
        defer { fetching = nil }
        do {
            let (answer, used) = try await withToken { try await provider.page($0, etag: etag) }
            return try await apply(answer, fetchedWith: used)
        } catch let error as AccountError where error.kind == .signedOut {
            // Another sign-in has succeeded during the request.
            if token != nil, let page = snapshot.page { return page }
            throw error
        } catch let error as AccountError where error.kind == .unreachable {
            updateSnapshot { if $0.state == .signedIn { $0.isStale = true } }
            throw error
        }
    }

    private func apply(_ answer: PageResult, fetchedWith used: VaultToken) async throws -> AccountPage? {
        try await mutex.withLock {
            // The token has changed during the request, by a sign-out or another sign-in.
            guard try await isCurrent(used) else { return snapshot.page }
            let page: AccountPage
            let time: Date?
            switch answer {
            case .page(let new, let etag):
                time = try await cachePage(new, etag: etag)
                page = new
            case .unchanged:
                time = try await store.cache.confirm(of: uid)
                page = snapshot.page ?? AccountPage(account: used.account)
            }
            let fetchedAt = time ?? Date()
            updateSnapshot {
                $0.state = .signedIn
                $0.page = page
                $0.fetchedAt = fetchedAt
                $0.isStale = false
            }
            return page
        }
    }

    /// Delivers a message in one attempt, and in a second one with a fresh token after a 401.
    ///
    /// - Throws: ``AccountError``: `.signedOut` without a token, or if a fresh token does not cure a 401 (the user is
    ///   then signed out); `.rejected` if a repetition would fail again; `.unreachable` if it may succeed.
    package func deliver(_ text: String, key: String) async throws {
        _ = try await withToken { try await provider.deliver(text, key: key, with: $0) }
    }

    // MARK: Tokens

    /// Runs a request with the token, and repeats it once with a fresh token if it throws `.signedOut`.
    ///
    /// A token that is about to expire is refreshed before the request. The request runs where the caller runs.
    ///
    /// - Returns: the answer, and the token of the request that was answered.
    /// - Throws: ``AccountError`` with `.signedOut` without a token, or if a fresh token does not help (the user is then
    ///   signed out); the error of the request; the store's error.
    package nonisolated func withToken<Answer>(
        _ request: (VaultToken) async throws -> Answer
    ) async throws -> (Answer, VaultToken) {
        await load()
        var token = try await usableToken()
        do {
            do {
                return (try await request(token), token)
            } catch let refusal as AccountError where refusal.kind == .signedOut {
                guard let fresh = try await freshToken(insteadOf: token) else { throw refusal }
                token = fresh
                return (try await request(token), token)
            }
        } catch let error as AccountError where error.kind == .signedOut {
            try await removeToken(ifCurrent: token)
            throw error
        }
    }

    /// Returns the current token, refreshed if it is about to expire.
    private func usableToken() async throws -> VaultToken {
        let current = try currentToken()
        guard let end = current.expiresAt, end.timeIntervalSinceNow < Self.leeway, current.refresh != nil else {
            return current
        }
        do {
            return try await freshToken(insteadOf: current) ?? current
        } catch is AccountError {
            // The old token may still be valid. If it is not, the provider rejects the request.
            return current
        }
    }

    private func currentToken() throws -> VaultToken {
        guard let token else { throw AccountError(.signedOut, "Nobody is signed in") }
        return token
    }

    /// Returns the current token.
    ///
    /// Throws `.signedOut` without a token, or if the token belongs to another account than `old`.
    private func currentToken(replacing old: VaultToken) throws -> VaultToken {
        let current = try currentToken()
        guard areExactlyEqual(current.account, old.account) else {
            throw AccountError(.signedOut, "Another account has signed in meanwhile")
        }
        return current
    }

    /// Returns a newer token than `old`, or nil if the provider cannot refresh the token.
    ///
    /// Simultaneous calls share one refresh.
    private func freshToken(insteadOf old: VaultToken) async throws -> VaultToken? {
        let current = try currentToken(replacing: old)
        if current != old { return current }
        if let refreshing, refreshing.old == old { return try await refreshing.fresh.value }
        let fresh = tasks.add(sharing: { try await self.refreshToken(old) })
        refreshing = (old, fresh)
        return try await fresh.value
    }

    private func refreshToken(_ old: VaultToken) async throws -> VaultToken? {
        // A refresh of a newer token may have begun meanwhile.
        defer { if refreshing?.old == old { refreshing = nil } }
        guard let sharing = store.sharing else { return try await refreshHere(old) }
        while try await !sharing.beginRefresh(of: uid, provider: provider.name) {
            if let stored = try await replacement(of: old) { return stored }
            try await clock.sleep(clock.now() + Self.refreshPause)
        }
        return try await withCleanup {
            // Another daemon may have ended its refresh just before.
            if let stored = try await replacement(of: old) { return stored }
            return try await refreshHere(old)
        } cleanUp: {
            await sharing.endRefresh(of: uid, provider: provider.name)
        }
    }

    /// Returns the token that another daemon has stored instead of `old`, or nil.
    private func replacement(of old: VaultToken) async throws -> VaultToken? {
        let isOwn = try await mutex.withLock { try await isCurrent(old) }
        return isOwn ? nil : try currentToken(replacing: old)
    }

    private func refreshHere(_ old: VaultToken) async throws -> VaultToken? {
        guard let fresh = try await provider.refresh(old) else { return nil }
        return try await mutex.withLock { () -> VaultToken? in
            // Without an answer of the store the token is kept: the provider accepts the former one no longer.
            let isOwn = (try? await isCurrent(old)) ?? (token == old)
            guard isOwn else {
                // A sign-out or another sign-in has come in between.
                if !areExactlyEqual(token?.account, old.account) { revoke(fresh) }
                return try currentToken(replacing: old)
            }
            await replace(old, with: fresh)
            logger.debug("The token was refreshed", metadata: ["uid": "\(uid)"])
            return fresh
        }
    }

    /// The pause between two looks for the token that another daemon refreshes.
    private static var refreshPause: Duration { .milliseconds(250) }

    /// The remaining seconds below which a token is refreshed before a request.
    private static var leeway: Double { 10 }
}
