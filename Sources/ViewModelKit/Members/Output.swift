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

    /// Creates the output of a value that changes with time, such as the position of a player.
    ///
    /// The value is computed before it is read or bound, after a value that it has read has changed, and repeatedly
    /// while a client has bound the output and `condition` is true.
    ///
    /// - Parameters:
    ///   - interval: the time between two samples on the session's clock.
    ///   - condition: whether the value changes at present, or nil if it always does.
    ///   - compute: returns the value. See ``Derived``.
    public convenience init(
        every interval: Duration,
        while condition: Signal<Bool>? = nil,
        _ compute: @escaping () -> Value
    ) {
        self.init(Sampled(Sampling(every: interval, while: condition), compute))
    }

    override class var schema: Schema { .of(Value.self) }

    deinit {
        signal.unsubscribe(self)
    }

    /// The current value, including writes of the running step.
    public var value: Value { signal.value }

    override func commitChange() -> Bool {
        // So the read need not be untracked.
        assert(graph.evaluating == nil)
        let new = signal.value
        guard !areExactlyEqual(new, committed) else { return false }
        committed = new
        return true
    }

    override package func commitInitialValue() {
        committed = signal.untracked
    }

    override package var sampling: Sampling? { signal.sampling }

    override package func encoded() throws -> [UInt8] {
        let text = try graph.encode(committed)
        if text.count > 1 << 20 { logSize(text.count) }
        return text
    }
}
