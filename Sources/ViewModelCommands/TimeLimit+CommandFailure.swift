package import ViewModelClient

extension TimeLimit {
    /// Runs `work` and cancels it when the limit has elapsed; nil is no limit.
    ///
    /// The error has status 6. `what` is the start of its message, such as "call did not end".
    package static func run<Result: Sendable>(
        _ limit: Duration?,
        _ what: String,
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await TimeLimit.run(limit, elapsed: { CommandFailure(.timedOut, "\(what) within \($0)") }, work)
    }
}
