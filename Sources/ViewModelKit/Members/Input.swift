/// A named way into a ViewModel: clients send it values, wiring listens to them.
///
/// Hot, and it never ends or fails: a value that a check refuses is answered to its sender (-32602), and the input
/// lives on. `Input<Void>` takes no value. Isolation: confined to its session.
public final class Input<Value>: Stream<Value> {
    /// All checks in one, in their order.
    @exclusivity(unchecked) private var check: ((Value) throws -> Void)?

    /// Makes an input; use it as the default value of a `let` in `Inputs`.
    public init() {
        super.init(graph: .current)
    }

    /// Checks each value before it is accepted.
    ///
    /// - Parameter check: throws ``InvalidValue`` for a value that the input cannot take; nothing has happened then.
    public func check(_ check: @escaping (Value) throws -> Void) {
        guard let earlier = self.check else {
            self.check = check
            return
        }
        self.check = { value in
            try earlier(value)
            try check(value)
        }
    }

    /// Sends a value: at once, or, during a step, after its commit.
    ///
    /// A value that a check refuses is dropped.
    public func send(_ value: Value) {
        graph.stepLater {
            try? self.accept(value)
        }
    }

    /// Checks a value and applies it; part of the running step.
    package func accept(_ value: Value) throws {
        if let check { try check(value) }
        emit(value)
    }

    /// Ends the input's life: what listens to it is released.
    package func dispose() {
        check = nil
        removeSubscriptions()
    }
}

extension Input where Value == Void {
    /// Sends the input, which carries no value.
    public func send() {
        send(())
    }
}
