public import ViewModelKit

extension Harness {
    /// Reads a state over the wire.
    ///
    /// - Parameter output: the output.
    /// - Returns: the value, encoded and decoded again.
    /// - Throws: ``HarnessError`` when the encoded value cannot be decoded.
    public func read<Value: Schemable & Equatable>(_ output: KeyPath<Type, Output<Value>>) throws -> Value {
        try read(viewModel[keyPath: output])
    }

    /// Reads a list over the wire.
    ///
    /// - Parameter output: the output.
    /// - Returns: the rows, encoded and decoded again.
    /// - Throws: ``HarnessError`` when an encoded row cannot be decoded.
    public func read<Row: Schemable & Equatable & Identifiable>(
        _ output: KeyPath<Type, ListOutput<Row>>
    ) throws -> [Row] where Row.ID: Codable {
        try read(viewModel[keyPath: output])
    }

    private func read<Value: Decodable>(_ output: AnyOutput) throws -> Value {
        let place = try name(of: output)
        let values = try client.read(place.instance, outputs: [place.name])
        return try (values[place.name] ?? .null).decoded()
    }

    /// The client's picture of the ViewModel, with all frames applied.
    public var picture: Picture {
        client.picture(of: id) ?? Picture(id: id, epoch: "", seq: 0, values: [:])
    }

    /// The frames of the ViewModel and its children since the start, the oldest first.
    public var frames: [Frame] {
        client.frames.filter { instances.contains($0.instance) }
    }

    /// Runs `body` and returns the frames of the ViewModel and its children that it caused.
    @discardableResult
    public func frames(of body: () throws -> Void) rethrows -> [Frame] {
        let before = frames.count
        try body()
        return Array(frames.dropFirst(before))
    }

    /// Returns the events of an output since the start, the oldest first.
    ///
    /// - Parameter output: the output.
    /// - Returns: the values of the events.
    /// - Throws: ``HarnessError`` when an encoded value cannot be decoded.
    public func events<Value: Schemable>(_ output: KeyPath<Type, Event<Value>>) throws -> [Value] {
        let place = try name(of: viewModel[keyPath: output])
        return try frames.filter { $0.instance == place.instance }.flatMap(\.events)
            .filter { $0.output == place.name }
            .map { try $0.value.decoded() }
    }
}
