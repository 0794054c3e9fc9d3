/// A named entry into a ViewModel.
///
/// Clients send values to it, and wiring code subscribes to them.
///
/// It is hot, never ends and never fails. If a check refuses a value, the sender gets -32602 and the input stays
/// usable. `Input<Void>` has no value. Isolation: confined to its session.
public final class Input<Value>: Stream<Value> {
    private var keys = RetryKeys<Int>()
    /// The retry key of the call that was applied last, until ``remember(step:)``.
    private var pendingKey: KeyedCall?
    /// All checks in one closure, in the order of their registration.
    @exclusivity(unchecked) private var check: ((Value) throws -> Void)?

    /// Creates an input.
    ///
    /// Use it as the default value of a `let` in `Inputs`.
    public init() {
        super.init(graph: .current)
    }

    /// Creates an input whose values `body` checks and applies.
    ///
    /// - Parameter body: throws ``InvalidValue`` before it changes anything, to refuse a value.
    public convenience init(_ body: @escaping (Value) throws -> Void) {
        self.init()
        check = body
    }

    /// Creates an input whose values are written into a cell.
    ///
    /// - Parameters:
    ///   - cell: the cell.
    ///   - check: throws ``InvalidValue`` to refuse a value, or nil.
    public convenience init(assigningTo cell: Cell<Value>, check: ((Value) throws -> Void)? = nil) {
        self.init()
        self.check = check
        assign(to: cell)
    }

    /// Adds a check that runs before a value is accepted.
    ///
    /// - Parameter check: throws ``InvalidValue`` to refuse a value. A refused value has no effect.
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

    /// Sends a value at once or, during a step, after its commit.
    ///
    /// A value that a check refuses is dropped.
    public func send(_ value: Value) {
        graph.stepLater(of: self) {
            try? self.accept(value)
        }
    }

    /// Checks and applies a value, as a part of the running step.
    ///
    /// Throws the error of a check, usually ``InvalidValue``.
    package func accept(_ value: Value) throws {
        if let check { try check(value) }
        emit(value)
    }

    /// Checks and applies the value of a call, unless a call with the same retry key was applied before.
    ///
    /// A part of the running step. The host passes the step of the reply to a call with a key to ``remember(step:)``.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - key: the retry key.
    ///   - text: returns the value as JSON text, for a call with a key.
    /// - Returns: nil; the step that the reply named if the call was applied before.
    /// - Throws: the error of a check, or ``InvalidValue/reusedKey``.
    package func accept(_ value: Value, _ key: String?, _ text: () throws -> [UInt8]) throws -> Int? {
        guard let key else {
            try accept(value)
            return nil
        }
        let call = KeyedCall(key: key, parameters: graph.host.digest(of: try text(), key: key))
        if let earlier = keys.call(of: key, now: graph.now) {
            guard earlier.hasParameters(of: call) else { throw InvalidValue.reusedKey }
            return earlier.outcome
        }
        try accept(value)
        pendingKey = call
        return nil
    }

    package func remember(step: Int) {
        guard let call = pendingKey.take() else { return }
        restore(call, step: step, age: .zero)
        graph.host.remembered(nil, of: [call], by: self)
    }

    package func restore(_ call: KeyedCall, step: Int, age: Duration) {
        let before = keys.bytes
        keys.remember(call, outcome: step, now: graph.now - age)
        graph.host.count(heldBytes: keys.bytes - before)
    }

    package func dispose() {
        if keys.bytes > 0 { graph.host.count(heldBytes: -keys.bytes) }
        keys = RetryKeys()
        pendingKey = nil
        check = nil
        removeSubscriptions()
    }
}

extension Input where Value == Void {
    /// Sends the input, which has no value.
    public func send() {
        send(())
    }
}
