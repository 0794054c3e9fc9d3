import ViewModelContract

/// An output for things that happen once: a hint, a sound, a jump.
///
/// Events are never merged. The host keeps recent ones for clients that resume. An event of an object that ViewModels
/// share reaches each instance that shows it. Isolation: confined to its session.
public final class Event<Value: Schemable>: AnyOutput {
    private var pending: [Value] = []
    /// The outputs of further instances that show this event.
    private var relays: [() -> Event?] = []

    /// Creates an event output.
    public init() {
        super.init(graph: .current)
    }

    override class var kind: ContractType.Output.Kind { .event }

    override class var schema: Schema { .of(Value.self) }

    /// Sends an event to each client that binds the output, with the frame of the running step.
    public func send(_ value: Value) {
        guard graph.mayWrite(self, .send) else { return }
        add(value)
        if !relays.isEmpty {
            for relay in relays { relay()?.add(value) }
        }
    }

    private func add(_ value: Value) {
        // Before an instance shows it, and after the end of the instance, an event has no clients.
        guard owner != nil else { return }
        pending.append(value)
        markChanged()
    }

    /// Returns this event, or another one that gets the same events if an instance has adopted this one before.
    override package func adoptable() -> AnyOutput {
        guard owner != nil || isClosed else { return self }
        let event = graph.wiring { Event() }
        relays.removeAll { $0() == nil }
        relays.append { [weak event] in event }
        return event
    }

    override func commitChange() -> Bool { !pending.isEmpty }

    override package func takeEvents(failed: (any Error) -> Void) -> [[UInt8]] {
        defer { pending.removeAll() }
        return pending.compactMap { value in
            do {
                return try graph.encode(value)
            } catch {
                failed(error)
                return nil
            }
        }
    }
}
