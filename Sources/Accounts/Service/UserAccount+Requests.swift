import FoundationEssentials
import Logging
import ViewModelStore

extension UserAccount {
    /// Asks the backend with the stored token; those who ask at the same time share one request.
    func autoLogin() async throws -> AutoLoginResult {
        await load()
        if let fetching { return try await fetching.value }
        guard token != nil else { return .noToken }
        let task = Task { try await self.fetch() }
        fetching = task
        // Whoever is cancelled stops waiting for it by the answer's deadline; the others need the answer.
        return try await task.value
    }

    private func fetch() async throws -> AutoLoginResult {
        defer { fetching = nil }
        do {
            let (answer, used) = try await authorized { provider, token, etag in
                try await provider.page(token, etag: etag)
            }
            return try await take(answer, fetchedWith: used)
        } catch let error as AccountError where error.kind == .signedOut {
            // Somebody else has signed in meanwhile.
            if token != nil, let page = snapshot.value.page { return .signedIn(page) }
            return .refused(error.description)
        } catch let error as AccountError where error.kind == .unreachable {
            tell { if $0.state == .signedIn { $0.isStale = true } }
            throw error
        }
    }

    private func take(_ answer: PageAnswer, fetchedWith used: VaultToken) async throws -> AutoLoginResult {
        try await mutex.withLock {
            // Signed out, or in as somebody else, while the answer was on its way.
            guard token == used else {
                return snapshot.value.page.map { .signedIn($0) } ?? .noToken
            }
            let page: AccountPage
            switch answer {
            case .page(let new, let etag):
                try await keep(new, etag: etag)
                page = new
            case .unchanged:
                try await store.cache.confirm(of: uid, namespace: Self.namespace, key: Self.pageKey)
                page = snapshot.value.page ?? AccountPage(account: used.account)
            }
            let now = Date()
            tell {
                $0.state = .signedIn
                $0.page = page
                $0.fetchedAt = now
                $0.isStale = false
            }
            return .signedIn(page)
        }
    }

    func deliver(_ text: String, key: String) async throws {
        await load()
        _ = try await authorized { provider, token, _ in
            try await provider.deliver(text, key: key, with: token)
        }
    }

    // MARK: Tokens

    /// Makes a request with a token that is good for a while, and once more with a fresh one after a 401.
    private func authorized<Answer: Sendable>(
        _ request: (any AccountProvider, VaultToken, String?) async throws -> Answer
    ) async throws -> (Answer, VaultToken) {
        var current = try existing()
        if let end = current.expiresAt, end.timeIntervalSinceNow < Self.leeway, current.refresh != nil {
            do {
                current = try await refreshed(insteadOf: current) ?? current
            } catch is AccountError {
                // What is left of the old one may do; if not, the answer says so.
            }
        }
        do {
            return (try await request(provider, current, etag), current)
        } catch let error as AccountError where error.kind == .signedOut {
            return try await repeated(request, insteadOf: &current, error)
        }
    }

    private func repeated<Answer: Sendable>(
        _ request: (any AccountProvider, VaultToken, String?) async throws -> Answer,
        insteadOf current: inout VaultToken,
        _ refusal: AccountError
    ) async throws -> (Answer, VaultToken) {
        do {
            guard let fresh = try await refreshed(insteadOf: current) else { throw refusal }
            current = fresh
            return (try await request(provider, fresh, etag), fresh)
        } catch let error as AccountError where error.kind == .signedOut {
            try await forget(current)
            throw error
        }
    }

    private func existing() throws -> VaultToken {
        guard let token else { throw AccountError(.signedOut, "Nobody is signed in") }
        return token
    }

    /// The token in the place of `old`; another account's is none.
    private func successor(of old: VaultToken) throws -> VaultToken {
        let current = try existing()
        guard current.account == old.account else {
            throw AccountError(.signedOut, "Another account has signed in meanwhile")
        }
        return current
    }

    /// A newer token than `old`, by one refresh for all who need it; nil where the provider has no such thing.
    private func refreshed(insteadOf old: VaultToken) async throws -> VaultToken? {
        let current = try successor(of: old)
        if current != old { return current }
        if let refreshing, refreshing.old == old { return try await refreshing.task.value }
        let task = Task { try await self.refresh(old) }
        refreshing = (old, task)
        return try await task.value
    }

    private func refresh(_ old: VaultToken) async throws -> VaultToken? {
        defer { refreshing = nil }
        guard let fresh = try await provider.refresh(old) else { return nil }
        return try await mutex.withLock {
            guard token == old else { return try successor(of: old) }
            try await store.vault.store(fresh, of: uid, provider: provider.name)
            token = fresh
            logger.debug("The token was refreshed", metadata: ["uid": "\(uid)"])
            return fresh
        }
    }

    /// Seconds before its end in which a token is not used any more.
    private static var leeway: Double { 10 }
}
