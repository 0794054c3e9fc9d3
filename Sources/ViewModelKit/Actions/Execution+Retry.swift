extension Execution {
    /// Runs work, and runs it again after one of these failures, as ``retry(_:after:if:_:)`` does.
    ///
    ///     return try await execution.retry(3, on: PodcastError.busy, after: .seconds(1)) {
    ///         try await service.fetch(id)
    ///     }
    @discardableResult
    public func retry<Result, Retried: Error & Equatable, Failure: Error>(
        _ attempts: Int,
        on failure: Retried,
        _ others: Retried...,
        after delay: Duration,
        _ work: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let retried = [failure] + others
        return try await retry(attempts, after: delay, if: { ($0 as? Retried).map(retried.contains) ?? false }, work)
    }

    /// Runs work, and runs it again after failures that may pass.
    ///
    /// These are the failures that are declared with `@Retryable`, and each ``ActionFailure`` that is retryable.
    ///
    ///     return try await execution.retry(3, after: .seconds(1)) { try await service.fetch(id) }
    ///
    /// - Parameters:
    ///   - attempts: the largest number of attempts. ``attempt`` is the number of the present one.
    ///   - delay: the time between two attempts, on the session's clock.
    ///   - isRetried: returns whether the work runs again after a failure, or nil for the failures that may pass.
    ///   - work: one attempt.
    /// - Returns: the result of the first attempt that succeeds.
    /// - Throws: the failure of the last attempt. An execution that is cancelled between two attempts throws
    ///   `CancellationError`, or the last failure if its type has no other errors.
    @discardableResult
    public func retry<Result, Failure: Error>(
        _ attempts: Int,
        after delay: Duration,
        if isRetried: ((Failure) -> Bool)? = nil,
        _ work: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        var number = 1
        while true {
            attempt = number
            do throws(Failure) {
                return try await work()
            } catch {
                guard number < attempts, isRetried?(error) ?? error.mayPass else { throw error }
                let clock = action.map { SessionClock(graph: $0.graph) }
                guard (try? await clock?.sleep(for: delay)) != nil else {
                    throw CancellationError() as? Failure ?? error
                }
                number += 1
            }
        }
    }
}

extension Error {
    /// Whether the error is a failure after which the same work may succeed.
    fileprivate var mayPass: Bool {
        if let failure = self as? ActionFailure { return failure.retryable }
        return (self as? any ActionError)?.failure.retryable ?? false
    }
}
