extension PlacedMembers {
    /// Calls `body` when a property has changed and then keeps its value for an interval, such as a text that is typed.
    ///
    ///     init() {
    ///         debounce(\.draft, for: .milliseconds(500)) { $0.check() }
    ///     }
    ///
    /// In a ViewModel an action with ``ActionTrigger/onChange(of:after:)`` needs no `init`.
    ///
    /// Each change starts the interval again. `body` runs in a step of its own. A value of which the property is set again
    /// is no change; an input as a stream, `inputs.town.debounce(for:)`, emits it. Call it during wiring, when `self` is
    /// complete. It ends with the ViewModel, or with the session for a ``SharedModel``.
    ///
    /// - Parameters:
    ///   - property: a field, a state or a computed property. It is tracked by what it reads.
    ///   - interval: the interval on the session's clock.
    ///   - body: receives the object, which it need not capture.
    public func debounce<Value: Equatable>(
        _ property: KeyPath<Self, Value>,
        for interval: Duration,
        _ body: @escaping (Self) -> Void
    ) {
        let source = Derived(of: self, property)
        let observer = SourceObserver(of: source, after: interval) { [unowned self, unowned source] in
            source.graph.stepLater(of: source) { body(self) }
        }
        source.graph.taskScope?.retain(observer)
    }
}

extension SourceObserver {
    /// Creates work that begins when a source has changed and then stays unchanged for an interval.
    ///
    /// With an interval of zero the work begins at the commit, and only reads. Otherwise it runs in a step of its own.
    convenience init(of source: Node, after interval: Duration, _ body: @escaping () -> Void) {
        guard interval > .zero else {
            self.init(of: source, body)
            return
        }
        // Releasing the observer releases the timer, which cancels it.
        var timer: SessionTimer?
        self.init(of: source) { [unowned graph = source.graph] in
            timer?.cancel()
            timer = graph.schedule(after: interval, body)
        }
    }
}
