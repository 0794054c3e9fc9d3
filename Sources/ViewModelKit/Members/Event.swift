/// An output for what happens once: a hint, a sound, a jump.
///
/// Never merged, kept for clients that come back soon.
///
/// Isolation: confined to its session.
public final class Event<Value: Codable>: AnyOutput {
    private var pending: [Value] = []

    /// Makes an event output.
    public init() {
        super.init(graph: .current)
    }

    /// Tells every client that binds it, with the frame of the running step.
    public func send(_ value: Value) {
        pending.append(value)
        markChanged()
    }

    override func settle() -> Bool {
        _ = super.settle()
        return !pending.isEmpty
    }

    /// Takes what has happened since the last commit, as JSON texts.
    override package func takeEvents() throws -> [[UInt8]] {
        defer { pending.removeAll() }
        return try pending.map { try graph.host.encode($0) }
    }
}
