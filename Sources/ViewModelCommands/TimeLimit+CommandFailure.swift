import ViewModelClient

extension TimeLimit {
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
        try await TimeLimit.run(limit, elapsed: { CommandFailure.timedOut("\(what) within \($0)") }, work)
    }
}
