package import Logging
public import ViewModelKit
package import ViewModelStorage

/// The outcome of a claimed message.
package enum DeliveryOutcome: Hashable, Sendable {
    /// The backend accepted the message.
    case sent
    /// The delivery failed for a reason.
    case failed(problem: String)
    /// The message waits to be sent again, with the reason if one is known.
    case queued(problem: String?)
}

/// The outbox of each user, shared by all sessions of the user.
///
/// A daemon with the feature `.accounts` has one. Its ViewModels use it as a ``SessionOutbox``.
///
/// The change of an `async` function is on disk when it returns, and in the snapshot if the outbox is in memory. A
/// cancelled caller does not interrupt a change half-way.
///
/// Isolation: used from anywhere. No call blocks its thread.
public final class OutboxService: DaemonService {
    // Errors are caught and thrown again for the reason that `AccountService` explains.

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
    /// The work loads and releases outboxes, carries out removals, and repeats failed writes. After `body` it waits for
    /// all of it except the repetitions, which it cancels.
    ///
    /// - Parameter body: The use of the service.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
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

    /// Starts to load a user's outbox and keeps it in memory while the returned value lives.
    package func use(of uid: UInt32) -> OutboxLease {
        OutboxLease(users[uid])
    }

    /// Returns the current messages of a user, without a copy.
    ///
    /// The list is empty while the outbox is not in memory. If the list is kept, the next change copies it.
    package func snapshot(of uid: UInt32) -> OutboxSnapshot {
        users[uid].snapshot
    }

    /// Returns the changes of a user's messages after a revision, or nil if there are none.
    ///
    /// The cost does not depend on the number of messages, unless too many edits have been made since.
    package func changes(of uid: UInt32, since revision: Int) -> OutboxChanges? {
        users[uid].changes(since: revision)
    }

    /// Returns the revision of a user's messages, which increases with each change.
    package func revision(of uid: UInt32) -> Int {
        users[uid].revision
    }

    /// Returns a message of a user, or nil if no message in memory has this id.
    package func message(_ id: String, of uid: UInt32) -> OutboxMessage? {
        users[uid].message(id)
    }

    /// Returns a stream of the current revision of a user's messages and of the later ones.
    ///
    /// A slow reader misses intermediate revisions and always gets the newest one. The messages of a large outbox are in
    /// memory only while a session holds the result of ``use(of:)``.
    package func revisions(of uid: UInt32) -> AsyncStream<Int> {
        users[uid].revisions.values()
    }

    /// Adds a message and stores it on disk.
    ///
    /// - Throws: `LimitExceeded` if the user's outbox is full, or the store's error.
    package func add(_ text: String, id: String? = nil, of uid: UInt32) async throws -> OutboxMessage {
        try await users[uid].add(text, id: id)
    }

    /// Removes a message at once from the snapshot, and soon afterwards from the store.
    ///
    /// A message that is being sent stays in the store and returns to the snapshot.
    package func remove(_ id: String, of uid: UInt32) {
        users[uid].remove(id)
    }

    /// Queues the failed messages again.
    package func queueFailed(of uid: UInt32) async throws {
        try await users[uid].queueFailed()
    }

    /// Queues a failed message again and claims it.
    ///
    /// Returns nil if the message has not failed, or if another caller has claimed it.
    package func claimFailed(_ id: String, of uid: UInt32) async throws -> OutboxMessage? {
        try await users[uid].claimFailed(id)
    }

    /// Claims the oldest queued message for the caller, or returns nil if the queue is empty.
    ///
    /// The caller must call ``finish(_:of:_:)``. Until then no other caller gets the message.
    package func claim(of uid: UInt32) async throws -> OutboxMessage? {
        try await users[uid].claim()
    }

    /// Counts an attempt to deliver a claimed message; call it before the attempt.
    ///
    /// - Returns: whether the message is still claimed by this daemon. Otherwise it must not be delivered.
    @discardableResult
    package func countAttempt(_ id: String, of uid: UInt32, problem: String? = nil) async throws -> Bool {
        try await users[uid].countAttempt(id, problem: problem)
    }

    /// Shows why the latest attempt to deliver a claimed message has failed.
    ///
    /// The store gets the reason with the next attempt, or with the outcome.
    package func showProblem(_ problem: String, of id: String, of uid: UInt32) async {
        await users[uid].showProblem(problem, of: id)
    }

    /// Stores the outcome of a claimed message.
    ///
    /// If the store fails, this throws, and the service repeats the write in the background.
    package func finish(_ id: String, of uid: UInt32, _ outcome: DeliveryOutcome) async throws {
        try await users[uid].finish(id, outcome)
    }
}
