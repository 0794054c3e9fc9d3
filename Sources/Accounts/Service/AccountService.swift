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

    package let provider: any AccountProvider
    /// The outboxes of the same users.
    package let outbox: OutboxService
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
        outbox = OutboxService(outbox: store.outbox, logger: logger)
        self.tasks = tasks
        users = UserTable { uid in
            UserAccount(uid: uid, provider: provider, store: store, logger: logger, clock: clock, tasks: tasks)
        }
    }

    /// Runs `body`, and the background work of the service and of ``outbox`` beside it.
    ///
    /// After `body` it waits for this work, at most two seconds in total, and closes the provider's connections. The
    /// work is what several callers share (a request for the page, a new token) and the revocation of tokens.
    package func run<Result>(_ body: () async throws -> Result) async throws -> Result {
        let clock = clock
        return try await withCleanup {
            try await tasks.run {
                try? await clock.sleep(clock.now() + Self.lastRequests)
            } _: {
                try await outbox.run(body)
            }
        } cleanUp: {
            await provider.shutDown()
        }
    }

    private static var lastRequests: Duration { .seconds(2) }

    /// Loads the stored token, page and outbox of a user, so that the user's first session shows them at once.
    package func prepare(_ uid: UInt32) async {
        await users[uid].load()
        await outbox.prepare(uid)
    }

    /// Lets the account and the outbox of a user go, who is not present any more.
    ///
    /// - Returns: false while a request or an unfinished change keeps one of them in memory, or wrong passwords that delay
    ///   the next sign-in.
    package func forget(_ uid: UInt32) -> Bool {
        let isOutboxForgotten = outbox.forget(uid)
        return users.present(uid)?.hasRecentFailure != true && users.forget(uid) && isOutboxForgotten
    }

    /// Reads the token and the page of a user again, because another daemon has changed them.
    ///
    /// - Returns: whether they could be read.
    @discardableResult
    package func reread(_ uid: UInt32) async -> Bool {
        await users.present(uid)?.reread() ?? true
    }

    package subscript(uid: UInt32) -> UserAccount { users[uid] }
}
