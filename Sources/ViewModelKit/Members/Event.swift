/// An output for things that happen once: a hint, a sound, a jump.
///
/// Events are never merged. The host keeps recent ones for clients that resume. Isolation: confined to its session.
public final class Event<Value: Schemable>: AnyOutput {
    private var pending: [Value] = []

    /// Creates an event output.
    public init() {
        super.init(graph: .current)
    }

    /// Sends an event to each client that binds the output, with the frame of the running step.
    public func send(_ value: Value) {
        guard graph.mayWrite("an Event was sent") else { return }
        pending.append(value)
        markChanged()
    }

    override func commitChange() -> Bool {
        _ = super.commitChange()
        return !pending.isEmpty
    }

    /// Removes and returns the events since the last commit, as JSON texts.
    ///
    /// - Parameter failed: called for each event that cannot be encoded. The event is dropped.
    /// - Returns: the events in order.
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
