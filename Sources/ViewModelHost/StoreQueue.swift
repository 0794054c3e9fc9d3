import Synchronization

/// A queue that runs the store's work on each session, and on the values of each area, in order.
///
/// Its tasks are unstructured, because a session adds work in a step, which cannot wait. ``drain()`` awaits them.
final class StoreQueue: Sendable {
    /// What the work is about.
    enum Subject: Hashable {
        case session(SessionKey)
        /// A report about a session to the other nodes, which waits for no save.
        case report(SessionKey)
        case values(ValueArea)
        /// The sessions of a user on other nodes; of all users if it is nil.
        case elsewhere(UInt32?)
    }

    private let tails = Mutex<[Subject: (task: Task<Void, Never>, number: Int)]>([:])

    /// Runs `work` after all earlier work on the subject, without an executor on Swift's global one.
    func enqueue(
        _ subject: Subject,
        on executor: (any TaskExecutor)?,
        _ work: @escaping @Sendable () async -> Void
    ) {
        tails.withLock { tails in
            let previous = tails[subject]
            let number = (previous?.number ?? 0) + 1
            let task = Task(executorPreference: executor) {
                await previous?.task.value
                await work()
                self.tails.withLock { tails in
                    if tails[subject]?.number == number { tails[subject] = nil }
                }
            }
            tails[subject] = (task, number)
        }
    }

    /// Runs `work` after all earlier work on the subject, and returns its result.
    func perform<Result: Sendable>(
        _ subject: Subject,
        on executor: (any TaskExecutor)?,
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            enqueue(subject, on: executor) {
                do {
                    continuation.resume(returning: try await work())
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }

    /// Waits for all work that is queued now.
    func drain() async {
        for task in tails.withLock({ $0.values.map(\.task) }) {
            await task.value
        }
    }
}

extension Duration {
    /// Returns the delay before a failed save is repeated: a second, then twice the former delay, at most a minute.
    ///
    /// A store that several machines share comes back by itself, so the delay is at most two seconds while it is away.
    static func beforeNextSave(after error: any Error, _ former: Duration?) -> Duration {
        former.map { min($0 * 2, .seconds(error.isUnavailableStore ? 2 : 60)) } ?? .seconds(1)
    }
}
