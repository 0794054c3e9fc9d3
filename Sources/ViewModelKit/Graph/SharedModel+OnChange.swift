extension SharedModel {
    /// Calls `body` when a property has changed, in a step of its own.
    ///
    ///     init() {
    ///         onChange(of: \.draft, after: .milliseconds(500)) { $0.check() }
    ///     }
    ///
    /// Call it in `init`, when `self` is complete. In a ViewModel it is an action with
    /// ``ActionTrigger/onChange(of:after:)``.
    ///
    /// - Parameters:
    ///   - property: a state or a computed property. It is tracked by what it reads. A restored value is no change.
    ///   - interval: the time for which the value has to stay unchanged on the session's clock.
    ///   - body: receives the model, which it need not capture.
    public func onChange<Value: Equatable>(
        of property: KeyPath<Self, Value>,
        after interval: Duration = .zero,
        _ body: @escaping (Self) -> Void
    ) {
        // The model may be gone: its `init` has thrown, or the session has ended.
        let source = Derived { [weak self] in self?[keyPath: property] }
        let observer = SourceObserver(of: source, after: interval) { [weak self, unowned source] in
            source.graph.stepLater(of: source) {
                if let self { body(self) }
            }
        }
        source.graph.taskScope?.retain(observer)
    }
}
