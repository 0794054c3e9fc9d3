public import ViewModelKit

extension Harness {
    /// Sends an input a value, and returns after the commit of its step.
    ///
    /// - Throws: `InvalidValue` when a check refuses it.
    public func send<Value>(_ input: KeyPath<Type, Input<Value>>, _ value: Value) throws {
        try session.loop.run {
            let input = viewModel[keyPath: input]
            let graph = client.graph
            precondition(!graph.isStepping, "a frame's listener sends through its client, after the step")
            try graph.step { try input.accept(value) }
        }
    }

    /// Sends an input that carries no value, and returns after the commit of its step.
    ///
    /// - Throws: `InvalidValue` when a check refuses it.
    public func send(_ input: KeyPath<Type, Input<Void>>) throws {
        try send(input, ())
    }
}
