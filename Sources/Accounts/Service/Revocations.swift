import Logging
import ViewModelStore

/// The queue of one user's tokens to revoke; a background task revokes them one after the other.
///
/// A provider that does not answer delays neither this user nor other users, because a user has at most one such
/// request in flight.
///
/// Isolation: confined to its actor, except for the background task.
final class Revocations {
    /// Maximum number of queued tokens; a further one drops the oldest.
    static let limit = 16

    private let provider: any AccountProvider
    private var waiting: [VaultToken] = []
    /// The background task, which ends when the queue is empty; nil while it does not run.
    private var work: Task<Void, Never>?
    private var isOver = false

    init(provider: any AccountProvider) {
        self.provider = provider
    }

    /// Queues a token for revocation and starts the background task if necessary.
    ///
    /// - Parameters:
    ///   - token: The token to revoke.
    ///   - next: Calls ``next()`` on the owner's actor.
    /// - Returns: Whether a token was dropped: the oldest one of a full queue, or this one after ``end()``.
    func add(_ token: VaultToken, next: @escaping @Sendable () async -> VaultToken?) -> Bool {
        guard !isOver else { return true }
        let isFull = waiting.count == Self.limit
        if isFull { waiting.removeFirst() }
        waiting.append(token)
        if work == nil {
            let provider = provider
            work = Task {
                while let token = await next() { await provider.revoke(token) }
            }
        }
        return isFull
    }

    /// Removes and returns the oldest queued token; nil ends the background task.
    func next() -> VaultToken? {
        if waiting.isEmpty || isOver {
            work = nil
            return nil
        }
        return waiting.removeFirst()
    }

    /// The background task; nil while it does not run.
    var current: Task<Void, Never>? { work }

    /// Cancels the background task and refuses further tokens.
    func end() {
        isOver = true
        work?.cancel()
    }
}
