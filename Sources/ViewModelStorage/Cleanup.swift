/// Runs `body`, then `cleanUp`, also after an error of `body`.
///
/// The error of `cleanUp` prevails over that of `body`.
package func withCleanup<Result>(
    _ body: () async throws -> Result,
    cleanUp: () async throws -> Void
) async throws -> Result {
    let result: Swift.Result<Result, any Error>
    do {
        result = .success(try await body())
    } catch {
        result = .failure(error)
    }
    try await cleanUp()
    return try result.get()
}
