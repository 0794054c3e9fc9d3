extension Stream {
    /// Returns a stream of the results of asynchronous work, which each value starts and the next value cancels.
    ///
    /// The work begins in the step of its value. Its result is emitted in the step in which it ends. Work that fails emits
    /// nothing, and the stream goes on. Call it during wiring; the work ends with the ViewModel that was wired.
    ///
    ///     inputs.town.debounce(for: .milliseconds(500))
    ///         .flatMapLatest { try await forecasts.forecast(for: $0) }
    ///         .sink { forecast.value = $0 }
    ///
    /// - Parameters:
    ///   - work: runs on the session. Do not write a capture list, because in Swift 6.3 an async closure with one loses its
    ///     caller's isolation.
    ///   - failed: called in a step with the error of work that was not cancelled. Without it, the error is an incident in
    ///     the log.
    /// - Returns: the stream of the results.
    public final func flatMapLatest<Other>(
        _ work: @escaping (Value) async throws -> Other,
        onError failed: ((any Error) -> Void)? = nil
    ) -> Stream<Other> {
        let graph = graph
        let scope = graph.taskScope ?? TaskScope()
        var newest = 0
        var task: Task<Void, Never>?
        return derive { value, result in
            task?.cancel()
            newest += 1
            let number = newest
            // No capture list, because with one Swift 6.3 runs the closure outside of the session.
            task = scope.run(on: graph) {
                do {
                    let other = try await work(value)
                    if number == newest, !Task.isCancelled { result.emit(other) }
                } catch {
                    guard number == newest, !Task.isCancelled else { return }
                    if let failed { failed(error) } else { _ = graph.host.incident(error, in: "a stream") }
                }
            }
        }
    }
}
