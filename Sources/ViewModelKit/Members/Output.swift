/// A state that clients see: a value that is sent in the picture when a client binds, and in a frame when it changes.
///
/// Any code may read it. Only the signal from which it was created changes it. Isolation: confined to its session.
public final class Output<Value: Schemable & Equatable>: AnyOutput {
    private let signal: Signal<Value>
    @exclusivity(unchecked) private var committed: Value

    /// Creates the output of a signal.
    public init(_ signal: Signal<Value>) {
        self.signal = signal
        self.committed = signal.untracked
        super.init(graph: signal.graph)
        signal.subscribe(self)
    }

    /// Creates an output whose value never changes.
    public convenience init(_ constant: Value) {
        self.init(Cell(constant))
    }

    /// Creates the output of a derived value.
    ///
    /// See ``Derived``.
    public convenience init(_ compute: @escaping () -> Value) {
        self.init(Derived(compute))
    }

    deinit {
        signal.unsubscribe(self)
    }

    /// The current value, including writes of the running step.
    public var value: Value { signal.value }

    override func commitChange() -> Bool {
        _ = super.commitChange()
        let new = signal.untracked
        guard new != committed else { return false }
        committed = new
        return true
    }

    override package func commitInitialValue() {
        committed = signal.untracked
    }

    override package func encoded() throws -> [UInt8] {
        try graph.host.encode(committed)
    }
}
