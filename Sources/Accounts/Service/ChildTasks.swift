import Synchronization

/// The background work of a service, which runs as child tasks of the service's `run`.
///
/// Isolation: used from anywhere.
final class ChildTasks: Sendable {
    private let work: AsyncStream<@Sendable () async -> Void>
    private let queue: AsyncStream<@Sendable () async -> Void>.Continuation

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
    /// After the end of the service, its result is a `CancellationError`.
    func add<Value>(sharing task: @escaping @Sendable () async throws -> Value) -> SharedResult<Value> {
        let result = SharedResult<Value>()
        let isStarted = add {
            do {
                result.resolve(.success(try await task()))
            } catch {
                result.resolve(.failure(error))
            }
        }
        if !isStarted { result.resolve(.failure(CancellationError())) }
        return result
    }

    /// Runs `body` and the tasks beside it, and returns when all have ended.
    ///
    /// `waitForTasks` is called after `body` has ended. The tasks that still run are cancelled when it returns.
    func run<Result>(
        cancellingAfter waitForTasks: @escaping @Sendable () async -> Void,
        _ body: () async throws -> Result
    ) async throws -> Result {
        let result = await withTaskGroup { group in
            group.addTask { [work] in
                await withDiscardingTaskGroup { tasks in
                    // A cancellation does not lose a task: the stream delivers what was added before it.
                    for await task in work { tasks.addTask { await task() } }
                }
            }
            let result: Swift.Result<Result, any Error>
            do {
                result = .success(try await body())
            } catch {
                result = .failure(error)
            }
            queue.finish()
            group.addTask { await waitForTasks() }
            await group.next()
            group.cancelAll()
            return result
        }
        return try result.get()
    }
}

/// The result of a child task, which several callers may await.
///
/// Isolation: used from anywhere.
final class SharedResult<Value: Sendable>: Sendable {
    private enum State {
        case pending([CheckedContinuation<Value, any Error>])
        case resolved(Result<Value, any Error>)
    }

    private let state = Mutex(State.pending([]))

    /// The result, as soon as the task has ended.
    ///
    /// A cancelled caller also waits until then.
    ///
    /// - Throws: The error of the task.
    var value: Value {
        get async throws {
            try await withCheckedThrowingContinuation { caller in
                let result: Result<Value, any Error>? = state.withLock { state in
                    switch state {
                    case .pending(let callers):
                        state = .pending(callers + [caller])
                        return nil
                    case .resolved(let result): return result
                    }
                }
                if let result { caller.resume(with: result) }
            }
        }
    }

    fileprivate func resolve(_ result: Result<Value, any Error>) {
        let callers = state.withLock { state in
            guard case .pending(let callers) = state else { return [CheckedContinuation<Value, any Error>]() }
            state = .resolved(result)
            return callers
        }
        for caller in callers { caller.resume(with: result) }
    }
}
