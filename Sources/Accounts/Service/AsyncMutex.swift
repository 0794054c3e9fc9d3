/// A lock that stays locked across suspensions of its actor, and is granted in order.
///
/// Isolation: confined to its actor.
final class AsyncMutex {
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Runs `body` after the bodies of all earlier calls have ended.
    func withLock<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        if isBusy {
            await withCheckedContinuation { waiting.append($0) }
        } else {
            isBusy = true
        }
        defer {
            if waiting.isEmpty {
                isBusy = false
            } else {
                waiting.removeFirst().resume()
            }
        }
        return try await body()
    }
}
