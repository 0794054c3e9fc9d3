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
        guard graph.mayWrite("an Event was sent") else { return }
        pending.append(value)
        markChanged()
    }

    override func commitChange() -> Bool {
        _ = super.commitChange()
        return !pending.isEmpty
    }

    /// Takes what has happened since the last commit, as JSON texts.
    override package func takeEvents(failed: (any Error) -> Void) -> [[UInt8]] {
        defer { pending.removeAll() }
        return pending.compactMap { value in
            do {
                return try graph.host.encode(value)
            } catch {
                failed(error)
                return nil
            }
        }
    }
}
