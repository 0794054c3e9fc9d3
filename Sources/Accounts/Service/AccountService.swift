package import Logging
public import ViewModelKit
package import ViewModelStorage

/// The account and the outbox of each user, shared by all sessions of the user.
///
/// A daemon with the feature `.accounts` has one. Its ViewModels use it as a ``SessionAccount`` and a ``SessionOutbox``.
///
/// Only the sessions of that user are notified of a change. The vault keeps the token, and the cache keeps the page.
///
/// Isolation: used from anywhere. No call blocks its thread.
public final class AccountService: DaemonService {
    /// What provides the accounts to the ViewModels of a daemon.
    package static var provision: String { "name the feature .accounts in main.swift" }

    package let provider: any AccountProvider
    private let clock: SignInClock
    private let tasks: ChildTasks
    private let outboxTasks = ChildTasks()
    private let users: UserTable<UserAccount>
    package let outboxes: UserTable<UserOutbox>

    /// Creates the service with a clock for the delays after wrong passwords.
    ///
    /// Use it inside of ``run(_:)``, which runs its background work.
    package init(
        provider: any AccountProvider,
        store: any StateStorage,
        logger: Logger,
        clock: SignInClock = .system()
    ) {
        let tasks = ChildTasks()
        self.provider = provider
        self.clock = clock
        self.tasks = tasks
        users = UserTable { uid in
            UserAccount(uid: uid, provider: provider, store: store, logger: logger, clock: clock, tasks: tasks)
        }
        outboxes = UserTable { [outboxTasks] uid in
            UserOutbox(uid: uid, outbox: store.outbox, logger: logger, tasks: outboxTasks)
        }
    }

    /// Runs `body`, and the background work of the service beside it.
    ///
    /// The work of outboxes loads them, carries out removals, and repeats failed writes. After `body` it waits for all of it
    /// except the repetitions, which it cancels.
    ///
    /// Then it waits, at most two seconds in total, for what several callers share (a request for the page, a new token) and
    /// for the revocation of tokens, and closes the provider's connections.
    package func run<Result>(_ body: () async throws -> Result) async throws -> Result {
        let clock = clock
        return try await withCleanup {
            try await tasks.run {
                try? await clock.sleep(clock.now() + Self.lastRequests)
            } _: {
                try await outboxTasks.run(cancellingAfter: {}, body)
            }
        } cleanUp: {
            await provider.shutDown()
        }
    }

    private static var lastRequests: Duration { .seconds(2) }

    /// Loads the stored token, page and outbox of a user, so that the user's first session shows them at once.
    ///
    /// A large outbox is loaded when a session uses it, and shown after the load.
    package func prepare(_ uid: UInt32) async {
        await users[uid].load()
        await outboxes[uid].loadIfSmall()
    }

    /// Lets the account and the outbox of a user go, who is not present any more.
    ///
    /// - Returns: false while a request or an unfinished change keeps one of them in memory, or wrong passwords that delay
    ///   the next sign-in.
    package func forget(_ uid: UInt32) -> Bool {
        let isOutboxForgotten = outboxes.forget(uid)
        return users.present(uid)?.hasRecentFailure != true && users.forget(uid) && isOutboxForgotten
    }

    /// Reads data of a user again that is in memory, because another daemon has changed it.
    ///
    /// - Returns: whether it could be read.
    package func reread(_ change: StorageChange) async -> Bool {
        guard let uid = UInt32(exactly: change.uid) else { return true }
        return switch change.topic {
        case .account: await users.present(uid)?.reread() ?? true
        case .outbox: await outboxes.present(uid)?.reread() ?? true
        case .values: true
        }
    }

    package subscript(uid: UInt32) -> UserAccount { users[uid] }
}
