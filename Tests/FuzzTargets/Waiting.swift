import Dispatch
import Synchronization

/// Runs asynchronous work to its end; libFuzzer calls a target synchronously.
func finish<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Value {
    let (result, isDone) = (Result<Value>(), DispatchSemaphore(value: 0))
    Task.detached {
        let value = await work()
        result.value.withLock { $0 = value }
        isDone.signal()
    }
    isDone.wait()
    guard let value = result.value.withLock({ $0 }) else { fatalError("the work has no result") }
    return value
}

private final class Result<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}
