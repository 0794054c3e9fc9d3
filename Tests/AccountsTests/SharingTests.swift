import Synchronization
import Testing
import ViewModelKit
import ViewModelStorage

@testable import Accounts

@Suite struct `Two daemons with one store` {
    private let uid = TwoDaemons.uid
    private let credentials = Credentials(account: "ada", password: "correct horse battery")

    @Test func `show a sign-in of the other one with its page, in one change`() async throws {
        try await TwoDaemons.run(Numbered()) { daemons in
            let other = daemons.second.accounts
            await other.prepare(uid)
            let before = other.snapshot(of: uid)
            #expect(before.state == .signedOut)

            _ = try await daemons.first.accounts.signIn(credentials, of: uid)
            await other.reread(uid)

            let after = other.snapshot(of: uid)
            #expect(after.revision == before.revision + 1)
            #expect(after.state == .signedIn)
            #expect(after.page == AccountPage(account: "ada", nickname: "page 1"))
            #expect(after.fetchedAt != nil)
            #expect(!after.isStale)
            await other.reread(uid)
            #expect(other.snapshot(of: uid) == after)
            // The other daemon has the token, so it needs no sign-in of its own.
            #expect(try await other.autoLogin(of: uid) == .signedIn(AccountPage(account: "ada", nickname: "page 2")))
        }
    }

    @Test func `show a page that the other one has fetched, and a sign-in to another account`() async throws {
        try await TwoDaemons.run(Numbered()) { daemons in
            let (first, second) = (daemons.first.accounts, daemons.second.accounts)
            _ = try await first.signIn(credentials, of: uid)
            await second.prepare(uid)
            #expect(second.snapshot(of: uid).isStale)

            _ = try await first.autoLogin(of: uid)
            await second.reread(uid)
            #expect(second.snapshot(of: uid).page?.nickname == "page 2")
            #expect(!second.snapshot(of: uid).isStale)

            _ = try await first.signIn(Credentials(account: "bob", password: credentials.password), of: uid)
            await second.reread(uid)
            #expect(second.snapshot(of: uid).page == AccountPage(account: "bob", nickname: "page 3"))
        }
    }

    @Test func `show a sign-out of the other one`() async throws {
        try await TwoDaemons.run(Numbered()) { daemons in
            let (first, second) = (daemons.first.accounts, daemons.second.accounts)
            _ = try await first.signIn(credentials, of: uid)
            await second.prepare(uid)
            #expect(second.snapshot(of: uid).state == .signedIn)
            let before = second.snapshot(of: uid).revision

            try await first.signOut(of: uid)
            await second.reread(uid)

            let after = second.snapshot(of: uid)
            #expect(after.revision == before + 1)
            #expect(after.state == .signedOut)
            #expect(after.page == nil)
            #expect(try await second.autoLogin(of: uid) == .noToken)
        }
    }

    @Test func `show the same outbox, and share its delivery`() async throws {
        try await TwoDaemons.run(Numbered()) { daemons in
            let (first, second) = (daemons.first.outbox, daemons.second.outbox)
            for outbox in [first, second] { await outbox.prepare(uid) }
            let message = try await first.add("hello", of: uid)
            await second.reread(uid)
            #expect(second.snapshot(of: uid).messages == [message])
            let revision = second.snapshot(of: uid).revision
            await second.reread(uid)
            #expect(second.snapshot(of: uid).revision == revision)

            #expect(try await second.claim(of: uid)?.id == message.id)
            #expect(try await first.claim(of: uid) == nil)
            await first.reread(uid)
            #expect(first.snapshot(of: uid).messages.map(\.status) == [.sending])
            try await second.finish(message.id, of: uid, .sent)
            await first.reread(uid)
            #expect(first.snapshot(of: uid).messages.map(\.status) == [.sent])
        }
    }

    @Test func `refresh a token once, and both use the fresh one`() async throws {
        let provider = Numbered(isExpired: true)
        // The second daemon finds the refresh of the first one in progress, which goes on from here.
        try await TwoDaemons.run(provider, waiting: { provider.finishRefresh() }) { daemons in
            let (first, second) = (daemons.first.accounts, daemons.second.accounts)
            _ = try await first.signIn(credentials, of: uid)
            await second.prepare(uid)

            async let sent: Void = first.deliver("hello", key: "1", of: uid)
            await provider.waitForRefresh()
            try await second.deliver("hello", key: "2", of: uid)
            try await sent

            #expect(provider.refreshed == ["token 1"])
            #expect(daemons.refreshes.isFree)
            // A token that is fresh already is found before a refresh begins.
            provider.expire("fresh token 1")
            async let again: Void = first.deliver("hello", key: "3", of: uid)
            await provider.waitForRefresh()
            provider.finishRefresh()
            try await again
            try await second.deliver("hello", key: "4", of: uid)
            #expect(provider.refreshed == ["token 1", "fresh token 1"])
            #expect(daemons.refreshes.isFree)
        }
    }
}

/// Numbers its tokens and pages, and ends a refresh when the test says so.
private final class Numbered: AccountProvider {
    private struct State {
        var pages = 0
        var tokens = 0
        var expired: Set<String> = []
        var refreshed: [String] = []
        var refresh: CheckedContinuation<Void, Never>?
    }

    private let state: Mutex<State>

    init(isExpired: Bool = false) {
        state = Mutex(State(expired: isExpired ? ["token 1"] : []))
    }

    var name: String { "numbered" }
    var features: AccountFeatures { AccountFeatures(password: true) }
    var refreshed: [String] { state.withLock { $0.refreshed } }

    func expire(_ token: String) { state.withLock { _ = $0.expired.insert(token) } }

    func finishRefresh() { state.withLock { $0.refresh.take() }?.resume() }

    func waitForRefresh() async {
        while state.withLock({ $0.refresh == nil }) { await Task.yield() }
    }

    private func page(of account: String) -> AccountPage {
        let number = state.withLock { state in
            state.pages += 1
            return state.pages
        }
        return AccountPage(account: account, nickname: "page \(number)")
    }

    func signIn(_ credentials: Credentials, for uid: UInt32) async throws -> SignIn {
        let number = state.withLock { state in
            state.tokens += 1
            return state.tokens
        }
        let token = VaultToken(
            access: Secret("token \(number)"),
            refresh: Secret("refresh \(number)"),
            account: credentials.account
        )
        return SignIn(token: token, page: page(of: credentials.account))
    }

    func page(_ token: VaultToken, etag: String?) async throws -> PageResult {
        .page(page(of: token.account), etag: nil)
    }

    func refresh(_ token: VaultToken) async throws -> VaultToken? {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.refreshed.append(token.access.revealed)
                state.refresh = continuation
            }
        }
        var fresh = token
        fresh.access = Secret("fresh \(token.access.revealed)")
        return fresh
    }

    func deliver(_ text: String, key: String, with token: VaultToken) async throws {
        if state.withLock({ $0.expired.contains(token.access.revealed) }) {
            throw AccountError(.signedOut, "The token has expired")
        }
    }
}
