/// A time limit for an operation.
enum TimeLimit {
    /// Runs `work` and cancels it when the limit has elapsed; nil is no limit.
    ///
    /// - Throws: ``ClientError/Code-swift.struct/timedOut`` with `what` if the limit has elapsed, otherwise the error of
    ///   `work`.
    static func run<Result: Sendable>(
        _ limit: Duration?,
        _ what: @autoclosure () -> String,
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
            guard let first = try await group.next(), let result = first else {
                throw ClientError.timedOut(what(), after: limit)
            }
            return result
        }
    }
}
