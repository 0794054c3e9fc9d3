public import ViewModelKit

extension Harness {
    /// Sends a value to an input and returns after the commit of its step.
    ///
    /// - Parameters:
    ///   - input: the input.
    ///   - value: the value.
    /// - Throws: `InvalidValue` when a check refuses the value.
    public func send<Value>(_ input: KeyPath<Type, Input<Value>>, _ value: Value) throws {
        try session.loop.run {
            let input = viewModel[keyPath: input]
            let graph = client.graph
            precondition(!graph.isStepping, "a frame's listener sends through its client, after the step")
            try graph.step { try input.accept(value) }
        }
    }

    /// Sends an input without a value and returns after the commit of its step.
    ///
    /// - Parameter input: the input.
    /// - Throws: `InvalidValue` when a check refuses it.
    public func send(_ input: KeyPath<Type, Input<Void>>) throws {
        try send(input, ())
    }
}
