extension ViewModel {
    /// Calls `body` when a property has changed and then keeps its value for an interval, such as a text that is typed.
    ///
    ///     init(forecasts: any Forecasts) {
    ///         self.forecasts = forecasts
    ///         debounce(\.town, for: .milliseconds(500)) { $0.$look.run() }
    ///     }
    ///
    /// Each change starts the interval again. `body` runs in a step of its own. A value of which the property is set again
    /// is no change; an input as a stream, `inputs.town.debounce(for:)`, emits it. Call it during wiring, when `self` is
    /// complete. It ends with the ViewModel. Calls outside of wiring have no effect.
    ///
    /// - Parameters:
    ///   - property: a field, a state or a computed property. It is tracked by what it reads.
    ///   - interval: the interval on the session's clock.
    ///   - body: receives the ViewModel, which it need not capture.
    public func debounce<Value: Equatable>(
        _ property: KeyPath<Self, Value>,
        for interval: Duration,
        _ body: @escaping (Self) -> Void
    ) {
        let source = Derived(of: self, property)
        let graph = source.graph
        guard let taskScope = graph.taskScope else { return }
        // Releasing the observer releases the timer, which cancels it.
        var timer: SessionTimer?
        let observer = SourceObserver(of: source) { [unowned self, unowned graph] in
            timer?.cancel()
            timer = graph.schedule(after: interval) { [unowned self] in body(self) }
        }
        taskScope.retain(observer)
    }
}
