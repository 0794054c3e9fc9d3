/// A time limit for an operation.
enum Deadline {
    /// Runs `work` and cancels it when the limit has elapsed; nil is no limit.
    ///
    /// - Parameters:
    ///   - limit: The limit.
    ///   - what: The start of the error's message, such as "call did not end".
    ///   - work: The work.
    /// - Returns: The result of the work.
    /// - Throws: ``CommandFailure`` of status 6 if the limit has elapsed, otherwise the error of `work`.
    static func run<Result: Sendable>(
        _ limit: Duration?,
        _ what: String,
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
                throw CommandFailure.timedOut("\(what) within \(limit)")
            }
            return result
        }
    }
}
