/// A time limit for an operation.
package enum TimeLimit {
    /// Runs `work` and cancels it when the limit has elapsed; nil is no limit.
    ///
    /// - Parameters:
    ///   - limit: The limit.
    ///   - elapsed: Makes the error for an elapsed limit.
    ///   - work: The work.
    /// - Returns: The result of the work.
    /// - Throws: The error of `elapsed` if the limit has elapsed, otherwise the error of `work`.
    package static func run<Result: Sendable>(
        _ limit: Duration?,
        elapsed: (Duration) -> any Error,
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        guard let limit else { return try await work() }
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let result = first else { throw elapsed(limit) }
            return result
        }
    }

    /// Runs `work` and cancels it when the limit has elapsed; nil is no limit.
    ///
    /// - Throws: ``ClientError/Code-swift.struct/timedOut`` with `what` if the limit has elapsed, otherwise the error of
    ///   `work`.
    static func run<Result: Sendable>(
        _ limit: Duration?,
        _ what: @autoclosure () -> String,
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await run(limit, elapsed: { ClientError.timedOut(what(), after: $0) }, work)
    }
}
