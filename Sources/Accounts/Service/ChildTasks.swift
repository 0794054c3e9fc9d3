import Synchronization
import ViewModelStorage

/// The background work of a service, which runs as child tasks of the service's `run`.
///
/// Isolation: used from anywhere.
final class ChildTasks: Sendable {
    private let work: AsyncStream<@Sendable () async -> Void>
    private let queue: AsyncStream<@Sendable () async -> Void>.Continuation
    private let isEnded = Mutex(false)

    init() {
        (work, queue) = AsyncStream.makeStream()
    }

    /// Starts a task.
    ///
    /// A task that is added before ``run(cancellingAfter:_:)`` starts with it.
    ///
    /// - Returns: Whether it is started; false after the end of the service.
    @discardableResult
    func add(_ task: @escaping @Sendable () async -> Void) -> Bool {
        if case .enqueued = queue.yield(task) { true } else { false }
    }

    /// Starts a task whose result several callers may await.
    ///
    /// It begins at once, and ``run(cancellingAfter:_:)`` waits for it. A cancelled caller also waits until the task has
    /// ended. After the end of the service no work begins.
    func add<Value>(sharing work: @escaping @Sendable () async throws -> Value) -> Task<Value, any Error> {
        isEnded.withLock { isEnded in
            guard !isEnded else { return Task { throw CancellationError() } }
            let task = Task { try await work() }
            add {
                await withTaskCancellationHandler {
                    _ = await task.result
                } onCancel: {
                    task.cancel()
                }
            }
            return task
        }
    }

    /// Runs `body` and the tasks beside it, and returns when all have ended.
    ///
    /// `waitForTasks` is called after `body` has ended. The tasks that still run are cancelled when it returns.
    func run<Result>(
        cancellingAfter waitForTasks: @escaping @Sendable () async -> Void,
        _ body: () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup { group in
            group.addTask { [work] in
                await withDiscardingTaskGroup { tasks in
                    // A cancellation does not lose a task: the stream delivers what was added before it.
                    for await task in work { tasks.addTask { await task() } }
                }
            }
            return try await withCleanup(body) {
                isEnded.withLock { isEnded in
                    isEnded = true
                    queue.finish()
                }
                group.addTask { await waitForTasks() }
                try await group.next()
                group.cancelAll()
            }
        }
    }
}
