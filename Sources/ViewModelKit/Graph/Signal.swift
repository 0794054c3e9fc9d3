/// A value that always is, and that others can depend on: a ``Cell`` or a ``Derived``.
///
/// Isolation: confined to its session.
public class Signal<Value>: Node {
    /// The current value.
    ///
    /// Read inside of a ``Derived``, it becomes a source of it.
    public var value: Value {
        fatalError("Signal is abstract")
    }

    /// The value, without making it a source of what is being computed.
    public final var untracked: Value {
        let evaluating = graph.evaluating
        graph.evaluating = nil
        defer { graph.evaluating = evaluating }
        return value
    }

    /// Derives a value; dependents are not disturbed while the result stays equal.
    public final func map<Other: Equatable>(_ transform: @escaping (Value) -> Other) -> Derived<Other> {
        Derived(on: graph, isEqual: ==) { transform(self.value) }
    }

    /// Derives a value that cannot be compared; each change of this signal counts as a change of it.
    public final func map<Other>(_ transform: @escaping (Value) -> Other) -> Derived<Other> {
        Derived(on: graph, isEqual: nil) { transform(self.value) }
    }

    /// Pairs the values of two signals; both change in one step.
    public final func combineLatest<Other>(_ other: Signal<Other>) -> Derived<(Value, Other)> {
        Derived(on: graph, isEqual: nil) { (self.value, other.value) }
    }
}
