/// Lets one pass at a time, in order, across suspensions of the actor that owns it.
///
/// Isolation: confined to its actor.
final class AsyncMutex {
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Runs `body` when everybody before has left.
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
