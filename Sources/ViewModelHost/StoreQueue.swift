import Synchronization

/// A queue that runs the store's work on each session in order.
///
/// Its tasks are unstructured, because a session adds work in a step, which cannot wait. ``drain()`` awaits them.
final class StoreQueue: Sendable {
    private struct Tail {
        var task: Task<Void, Never>
        var number: Int
    }

    private let tails = Mutex<[SessionKey: Tail]>([:])

    /// Runs `work` after all earlier work on the session.
    ///
    /// - Parameters:
    ///   - key: the session.
    ///   - executor: the executor of the work; nil for Swift's global one.
    ///   - work: the work.
    func enqueue(
        _ key: SessionKey,
        on executor: (any TaskExecutor)?,
        _ work: @escaping @Sendable () async -> Void
    ) {
        tails.withLock { tails in
            let previous = tails[key]
            let number = (previous?.number ?? 0) + 1
            let task = Task(executorPreference: executor) {
                await previous?.task.value
                await work()
                self.finished(key, number)
            }
            tails[key] = Tail(task: task, number: number)
        }
    }

    /// Waits for all work that is queued now.
    func drain() async {
        for task in tails.withLock({ $0.values.map(\.task) }) {
            await task.value
        }
    }

    private func finished(_ key: SessionKey, _ number: Int) {
        tails.withLock { tails in
            if tails[key]?.number == number { tails[key] = nil }
        }
    }
}
