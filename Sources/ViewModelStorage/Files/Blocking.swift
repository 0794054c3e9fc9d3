import Dispatch

/// A helper for blocking work outside of event loops and Swift's cooperative threads.
package enum Blocking {
    /// Runs `work` on a dispatch queue that serves only this call.
    package static func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            DispatchQueue(label: "viewmodeld.storage").async { continuation.resume(returning: Result(catching: work)) }
        }
        return try result.get()
    }
}
