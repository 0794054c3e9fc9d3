extension SharedModel {
    /// Runs `body` while a property is true: when it becomes true, also at first and after a restoration.
    ///
    ///     init(account: SessionAccount) {
    ///         self.account = account
    ///         run(while: \.isSignedIn) { try await $0.receive() }
    ///     }
    ///
    /// When the property becomes false, or at the end of the session, the run is cancelled. The next one begins after its
    /// end. A run that has ended by itself begins again only after the property was false. An error is an incident in the
    /// log. Call it in `init`, when `self` is complete. In a ViewModel it is an action with ``ActionTrigger/while(_:)``.
    ///
    /// - Parameters:
    ///   - property: a state or a computed property. It is tracked by what it reads.
    ///   - body: receives the model, which it need not capture. It runs on the session, like the body of an action.
    public func run(while property: KeyPath<Self, Bool>, _ body: @escaping (Self) async throws -> Void) {
        // The model may be gone: its `init` has thrown, or the session has ended.
        let source = Derived { [weak self] in self?[keyPath: property] ?? false }
        let graph = source.graph
        guard let scope = graph.taskScope else { return }
        var run: Task<Void, Never>?
        var isOn = false
        let update = { [weak self, weak scope] in
            guard let self, let scope, source.untracked != isOn else { return }
            isOn.toggle()
            let former = run
            former?.cancel()
            guard isOn else { return }
            run = scope.run(on: graph) {
                // A run that does not stop must not write beside the next one.
                await former?.value
                do {
                    try Task.checkCancellation()
                    try await body(self)
                } catch {
                    if Task.isCancelled || error is CancellationError { return }
                    _ = graph.host.incident(error, in: graph.host.nameForLog(of: self))
                }
            }
        }
        graph.afterCommit { [weak scope] in
            scope?.retain(SourceObserver(of: source) { graph.stepLater(of: source, update) })
            graph.stepLater(of: source, update)
        }
    }
}
