package import Logging
public import ViewModelKit
package import ViewModelStorage

/// The outbox of each user, shared by all sessions of the user.
///
/// A daemon with the feature `.accounts` has one. Its ViewModels use it as a ``SessionOutbox``.
///
/// Isolation: used from anywhere. No call blocks its thread.
public final class OutboxService: DaemonService {
    /// What provides the outbox to the ViewModels of a daemon.
    package static var provision: String { AccountService.provision }

    private let tasks: ChildTasks
    private let users: UserTable<UserOutbox>

    /// Creates the service for the outbox of a store.
    ///
    /// Use it inside of ``run(_:)``, which runs its background work.
    package init(outbox: any Outbox, logger: Logger) {
        let tasks = ChildTasks()
        self.tasks = tasks
        users = UserTable { uid in UserOutbox(uid: uid, outbox: outbox, logger: logger, tasks: tasks) }
    }

    /// Runs `body`, and the background work of the service beside it.
    ///
    /// The work loads outboxes, carries out removals, and repeats failed writes. After `body` it waits for all of it except the
    /// repetitions, which it cancels.
    package func run<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await tasks.run(cancellingAfter: {}, body)
    }

    /// Loads a user's outbox if it is small, so that the user's first session shows it at once.
    ///
    /// A larger one is loaded when a session uses it, and shown after the load.
    package func prepare(_ uid: UInt32) async {
        await users[uid].loadIfSmall()
    }

    /// Lets the outbox of a user go, who is not present any more.
    ///
    /// - Returns: false while unfinished changes keep it in memory.
    package func forget(_ uid: UInt32) -> Bool { users.forget(uid) }

    /// Reads a user's outbox again if it is in memory, because another daemon has changed it.
    ///
    /// - Returns: whether it could be read.
    @discardableResult
    package func reread(_ uid: UInt32) async -> Bool {
        await users.present(uid)?.reread() ?? true
    }

    package subscript(uid: UInt32) -> UserOutbox { users[uid] }
}
