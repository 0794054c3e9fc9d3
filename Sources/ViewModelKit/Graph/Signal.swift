/// A value that is always present and that other values can depend on: a ``Cell`` or a ``Derived``.
///
/// Isolation: confined to its session.
public class Signal<Value>: Node {
    /// The current value.
    ///
    /// A read inside of a ``Derived`` makes the signal a source of that derived value.
    public var value: Value {
        fatalError("Signal is abstract")
    }

    /// The samples on which the value depends; nil for a value that does not change with time.
    var sampling: Sampling? { nil }

    /// The current value.
    ///
    /// A read does not make the signal a source of the ``Derived`` that is being computed.
    public final var untracked: Value {
        let evaluating = graph.evaluating
        graph.evaluating = nil
        defer { graph.evaluating = evaluating }
        return value
    }

    /// Returns a derived value.
    ///
    /// Its dependents are recomputed only if the result differs.
    public final func map<Other: Equatable>(_ transform: @escaping (Value) -> Other) -> Derived<Other> {
        Derived(on: graph, isEqual: areExactlyEqual) { transform(self.value) }
    }

    /// Returns a derived value that cannot be compared.
    ///
    /// Each change of this signal counts as a change of it.
    public final func map<Other>(_ transform: @escaping (Value) -> Other) -> Derived<Other> {
        Derived(on: graph, isEqual: nil) { transform(self.value) }
    }

    /// Returns the values of two signals as a pair.
    ///
    /// If both change in one step, the pair changes once.
    public final func combineLatest<Other>(_ other: Signal<Other>) -> Derived<(Value, Other)> {
        Derived(on: graph, isEqual: nil) { (self.value, other.value) }
    }
}
