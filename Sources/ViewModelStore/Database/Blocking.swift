import Dispatch

/// A place for work that blocks, away from event loops and from Swift's own threads.
enum Blocking {
    /// Runs `work` on a thread of its own.
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            DispatchQueue(label: "viewmodeld.storage").async { continuation.resume(returning: Result(catching: work)) }
        }
        return try result.get()
    }
}
