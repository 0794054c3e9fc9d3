public import Logging
import Synchronization
public import ViewModelStore

/// What became of a claimed message.
public enum DeliveryOutcome: Hashable, Sendable {
    /// The backend took it.
    case sent
    /// It was given up, for a reason in words.
    case failed(problem: String)
    /// It waits again; with a reason in words, if there is one.
    case queued(problem: String?)
}

/// The outbox of each user, one for all of the user's sessions.
///
/// What a function has done is on disk and in ``snapshot(of:)`` when it returns. Isolation: used from anywhere; nothing of
/// it blocks. Nothing of it is cancelled half-way with the task that called it. Errors are caught and thrown again for the
/// reason that ``AccountService`` gives.
public final class OutboxService: Sendable {
    private let outbox: Outbox
    private let logger: Logger
    private let users = Mutex<[UInt32: UserOutbox]>([:])

    /// Serves the outbox of a store.
    public init(outbox: Outbox, logger: Logger) {
        self.outbox = outbox
        self.logger = logger
    }

    /// Reads a user's outbox if it is small, so that the first session shows it at once.
    ///
    /// A larger one is read when a session uses it, and shown as soon as it was read.
    public func prepare(_ uid: UInt32) async {
        await user(uid).loadIfSmall()
    }

    /// Has a user's outbox read, and kept in memory for as long as the value that this returns lives.
    public func use(of uid: UInt32) -> OutboxUse {
        OutboxUse(user(uid))
    }

    /// The messages of a user now; an empty list while no session uses the outbox.
    public func snapshot(of uid: UInt32) -> OutboxSnapshot {
        user(uid).snapshot.value
    }

    /// The messages of a user now, then whenever they change; a slow reader gets the newest.
    ///
    /// The messages are in memory while a session holds what ``use(of:)`` returned.
    public func snapshots(of uid: UInt32) -> AsyncStream<OutboxSnapshot> {
        user(uid).snapshot.values()
    }

    /// Adds a message; it is on disk when this returns.
    ///
    /// - Throws: `LimitExceeded` where the user's outbox is full, or the store's error.
    public func add(_ text: String, of uid: UInt32) async throws -> OutboxMessage {
        do {
            return try await user(uid).add(text)
        } catch {
            throw error
        }
    }

    /// Removes a message, unless it is being sent: at once from what is shown, soon from the store.
    public func remove(_ id: String, of uid: UInt32) {
        user(uid).remove(id)
    }

    /// Queues the failed messages again.
    public func queueFailed(of uid: UInt32) async throws {
        do {
            return try await user(uid).queueFailed()
        } catch {
            throw error
        }
    }

    /// Queues a failed message again and claims it; nil where it is not a failed one, or somebody else was faster.
    public func claimFailed(_ id: String, of uid: UInt32) async throws -> OutboxMessage? {
        do {
            return try await user(uid).claimFailed(id)
        } catch {
            throw error
        }
    }

    /// Claims the oldest queued message: it is the caller's alone until ``finish(_:of:_:)``, which the caller owes it.
    public func claim(of uid: UInt32) async throws -> OutboxMessage? {
        do {
            return try await user(uid).claim()
        } catch {
            throw error
        }
    }

    /// Counts an attempt to deliver a claimed message, before it is made.
    public func countAttempt(_ id: String, of uid: UInt32, problem: String? = nil) async throws {
        do {
            return try await user(uid).countAttempt(id, problem: problem)
        } catch {
            throw error
        }
    }

    /// Tells what became of a claimed message.
    public func finish(_ id: String, of uid: UInt32, _ outcome: DeliveryOutcome) async throws {
        do {
            return try await user(uid).finish(id, outcome)
        } catch {
            throw error
        }
    }

    private func user(_ uid: UInt32) -> UserOutbox {
        users.withLock { users in
            if let user = users[uid] { return user }
            let user = UserOutbox(uid: uid, outbox: outbox, logger: logger)
            users[uid] = user
            return user
        }
    }
}
