import Foundation

/// Threads for calls that may block for ever, such as those on a FIFO without another end.
package enum BlockingThread {
    /// Runs `work` on a thread of its own, for which a cancelled task does not wait.
    package static func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws -> Value {
        let (results, continuation) = AsyncStream<Result<Value, Failure>>.makeStream()
        Thread.detachNewThread {
            continuation.yield(Result { () throws(Failure) in try work() })
            continuation.finish()
        }
        for await result in results { return try result.get() }
        throw CancellationError()
    }
}
