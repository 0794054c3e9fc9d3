/// A state that clients see: a value that always is, replayed to whoever binds, sent when it changed.
///
/// Everybody may read it; nobody writes it but the signal that it was made from. Isolation: confined to its session.
public final class Output<Value: Codable & Equatable>: AnyOutput {
    private let signal: Signal<Value>
    @exclusivity(unchecked) private var committed: Value

    /// Shows what `signal` is.
    public init(_ signal: Signal<Value>) {
        self.signal = signal
        self.committed = signal.untracked
        super.init(graph: signal.graph)
        signal.subscribe(self)
    }

    /// Shows a value that never changes.
    public convenience init(_ constant: Value) {
        self.init(Cell(constant))
    }

    /// Shows a value derived from others; see ``Derived``.
    public convenience init(_ compute: @escaping () -> Value) {
        self.init(Derived(compute))
    }

    deinit {
        signal.unsubscribe(self)
    }

    /// The value at this moment, writes of the running step included.
    public var value: Value { signal.value }

    override func commitChange() -> Bool {
        _ = super.commitChange()
        let new = signal.untracked
        guard new != committed else { return false }
        committed = new
        return true
    }

    override package func attach() {
        committed = signal.untracked
    }

    override package func encoded() throws -> [UInt8] {
        try graph.host.encode(committed)
    }
}
