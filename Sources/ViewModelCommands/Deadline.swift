/// A limit to the time that something may take.
enum Deadline {
    /// Does something, and gives up when the time is over.
    ///
    /// - Throws: ``CommandFailure`` of status 6 when the time is over, else what the work throws.
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
                throw CommandFailure.timedOut("\(what) did not come within \(limit)")
            }
            return result
        }
    }
}
