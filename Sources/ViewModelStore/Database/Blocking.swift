import Dispatch

/// A place for work that blocks, away from event loops and from Swift's own threads.
enum Blocking {
    private static let queue = DispatchQueue(label: "viewmodeld.storage", attributes: .concurrent)

    static func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result(catching: work)) }
        }
        return try result.get()
    }
}
