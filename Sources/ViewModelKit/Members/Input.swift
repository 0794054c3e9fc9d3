/// A named way into a ViewModel: clients send it values, wiring listens to them.
///
/// Hot, and it never ends or fails: a value that a check refuses is answered to its sender (-32602), and the input
/// lives on. `Input<Void>` takes no value. Isolation: confined to its session.
public final class Input<Value>: Stream<Value> {
    private var keys: RetryKeys<Int>?
    /// The retry key of the call that is being applied.
    private var pendingKey: (name: String, digest: Int)?
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

    /// Checks a value and applies it, unless a call with the same retry key was applied before; part of the running step.
    ///
    /// - Parameters:
    ///   - key: the retry key and the value as JSON text.
    /// - Returns: what became of the call.
    package func accept(_ value: Value, key: (name: String, parameters: [UInt8])) throws -> KeyedInput {
        let digest = RetryKeys<Int>.digest(key.parameters)
        if let earlier = keys?.call(of: key.name, now: graph.now) {
            return earlier.parameters == digest ? .repeated(step: earlier.outcome) : .refused(.reusedKey)
        }
        try accept(value)
        pendingKey = (key.name, digest)
        return .applied
    }

    /// Remembers the call that was applied with a retry key under the step that its reply names.
    package func remember(step: Int) {
        guard let key = pendingKey.take() else { return }
        let before = keys?.bytes ?? 0
        keys = keys ?? RetryKeys()
        keys?.remember(key.name, parameters: key.digest, outcome: step, now: graph.now)
        graph.host.count(heldBytes: (keys?.bytes ?? 0) - before)
    }

    /// Ends the input's life: what listens to it is released.
    package func dispose() {
        if let bytes = keys?.bytes { graph.host.count(heldBytes: -bytes) }
        keys = nil
        check = nil
        removeSubscriptions()
    }
}

/// What became of an input that came with a retry key.
package enum KeyedInput {
    /// It was applied; the host names the step of the reply by ``Input/remember(step:)``.
    case applied
    /// It was applied before, and its reply named this step.
    case repeated(step: Int)
    /// The key was used with another value.
    case refused(InvalidValue)
}

extension Input where Value == Void {
    /// Sends the input, which carries no value.
    public func send() {
        send(())
    }
}
