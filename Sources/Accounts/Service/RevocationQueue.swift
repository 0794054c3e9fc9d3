import ViewModelStorage

/// The tokens of one user that a background task revokes one after the other.
///
/// A provider that does not answer delays neither this user nor other users, because a user has at most one such
/// request in flight.
struct RevocationQueue {
    /// Maximum number of queued tokens; a further one drops the oldest.
    static let limit = 16

    private var waiting: [VaultToken] = []
    /// Whether no task takes tokens from the queue.
    private(set) var isIdle = true

    /// Queues a token for the task that takes it, which the caller starts for the first token.
    ///
    /// - Returns: Whether the queue was full and dropped its oldest token.
    mutating func add(_ token: VaultToken) -> Bool {
        isIdle = false
        let isFull = waiting.count == Self.limit
        if isFull { waiting.removeFirst() }
        waiting.append(token)
        return isFull
    }

    /// Removes and returns the oldest token, or returns nil and ends the task.
    mutating func next() -> VaultToken? {
        isIdle = waiting.isEmpty
        return isIdle ? nil : waiting.removeFirst()
    }
}
