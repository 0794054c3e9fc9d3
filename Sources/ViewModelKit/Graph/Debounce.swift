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
        guard let taskScope = source.graph.taskScope else { return }
        taskScope.retain(Debounce(of: source, for: interval) { [unowned self] in body(self) })
    }
}

/// The work after an interval without a change of a source.
///
/// Isolation: confined to its session.
private final class Debounce: AnyOutput {
    private let source: Node
    private let refreshSource: () -> Int
    private let interval: Duration
    private let body: () -> Void
    private var timer: SessionTimer?

    init<Value>(of source: Derived<Value>, for interval: Duration, _ body: @escaping () -> Void) {
        self.source = source
        refreshSource = {
            _ = source.untracked
            return source.version
        }
        self.interval = interval
        self.body = body
        super.init(graph: source.graph)
        source.subscribe(self)
        version = refreshSource()
    }

    deinit {
        source.unsubscribe(self)
        timer?.cancel()
    }

    override func commitChange() -> Bool {
        _ = super.commitChange()
        let new = refreshSource()
        if new != version {
            version = new
            timer?.cancel()
            timer = graph.schedule(after: interval) { [weak self] in self?.body() }
        }
        return false
    }
}
