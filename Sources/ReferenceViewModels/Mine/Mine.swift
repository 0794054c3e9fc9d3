import Accounts
import ViewModelKit
import ViewModelProtocol

/// The user's own page with the wallet and the rows that lead to other scenes.
@ViewModel
final class Mine {
    /// The balance and the red envelopes.
    @Rows var wallet: [WalletRow] { WalletRow.rows(of: account.page) }
    /// The rows for the user's services.
    @Rows var services: [MenuRow] { MenuRow.services }
    /// The rows for help and feedback.
    @Rows var others: [MenuRow] { MenuRow.others }
    /// The age of the page.
    @Output var freshness: Freshness {
        Freshness(fetchedAt: account.fetchedAt, stale: account.isStale)
    }
    /// The header with the signed-in user.
    @Child let header: MineHeader

    private let account: SessionAccount
    private let coordinator: Coordinator
    private let prompter: Prompter
    private let clock: SessionClock
    private var backoff = Backoff(maximum: .seconds(60))
    /// Signs in again after the backend was unreachable.
    private var nextAttempt: SessionTimer?
    private var isSignedIn: Bool { account.isSignedIn }

    init(account: SessionAccount, coordinator: Coordinator, prompter: Prompter, clock: SessionClock) {
        self.account = account
        self.coordinator = coordinator
        self.prompter = prompter
        self.clock = clock
        header = MineHeader(account: account, coordinator: coordinator)
        $autoLogin.run()
    }

    /// Selects the row with this id and shows the scene of that name, or `login` while the user is signed out.
    @Input func select(_ id: String) throws {
        let ids = wallet.map(\.id) + (services + others).map(\.id)
        guard ids.contains(id) else {
            throw InvalidValue(expected: "the id of a row", value: id, suggestions: ids)
        }
        coordinator.push(isSignedIn ? id : "login")
    }

    /// Signs in with the stored token; runs once at the start, and again while the backend is unreachable.
    @Action(.shared)
    @Throws(FetchFailure.self)
    func autoLogin() async throws -> AccountUser? {
        nextAttempt = nil
        do {
            let user = try await signIn()
            backoff.reset()
            return user
        } catch let error as AccountError where error.kind == .unreachable {
            let delay = backoff.delay(atLeast: error.retryAfter, chance: clock.chance)
            nextAttempt = clock.timer(after: delay) { [weak self] in self?.$autoLogin.run() }
            throw error
        }
    }

    /// Fetches the page again.
    @Action(.shared, enabled: \Mine.isSignedIn)
    @Throws(FetchFailure.self)
    func refresh() async throws {
        guard try await signIn() != nil else { throw AccountError(.signedOut, "Nobody is signed in any more") }
    }

    private func signIn() async throws -> AccountUser? {
        do {
            return try await account.refresh().map(AccountUser.init)
        } catch let error as AccountError where error.kind == .signedOut {
            prompter.hint(error.description, level: .error)
            return nil
        }
    }
}

/// The header of the page, which shows the signed-in user.
@ViewModel
final class MineHeader {
    /// The name by which the person is addressed: the nickname, or else the account.
    @Output var nickname: String { page.map { $0.nickname ?? $0.account } ?? "click login" }
    /// The telephone number with its middle digits masked.
    @Output var phone: String { page?.phone ?? "" }
    /// The address of a picture.
    @Output var avatar: String? { page?.avatar }

    private let account: SessionAccount
    private let coordinator: Coordinator
    private var page: AccountPage? { account.page }

    init(account: SessionAccount, coordinator: Coordinator) {
        self.account = account
        self.coordinator = coordinator
    }

    /// Selects the header and shows the scene `profile`, or `login` while the user is signed out.
    @Input func select() { coordinator.push(account.isSignedIn ? "profile" : "login") }
}
