public import ViewModelKit

extension Harness {
    /// Sends a value to an input and returns after the commit of its step.
    ///
    /// - Throws: `InvalidValue` when a check refuses the value, or ``HarnessError`` when a mistake has ended the session.
    public func send<Value>(_ input: KeyPath<Type, Input<Value>>, _ value: Value) throws {
        try checkSession()
        try session.loop.run {
            let input = viewModel[keyPath: input]
            let graph = client.graph
            precondition(!graph.isStepping, "a frame's listener sends through its client, after the step")
            try graph.step { try input.accept(value) }
        }
        try checkSession()
    }

    /// Throws the mistake that has ended the session.
    func checkSession() throws {
        guard client.hasSessionFailed else { return }
        throw HarnessError("the session of \(id) has ended: \(session.incidents.last ?? "a mistake")")
    }

    /// Sends an input without a value, as ``send(_:_:)`` sends one with a value.
    public func send(_ input: KeyPath<Type, Input<Void>>) throws {
        try send(input, ())
    }
}

extension Harness {
    /// Reads a state over the wire.
    ///
    /// - Returns: the value, encoded and decoded again.
    /// - Throws: ``HarnessError`` when the value cannot be encoded, such as an infinite number, when the encoded value
    ///   cannot be decoded, or a mistake has ended the session.
    public func read<Value: Schemable & Equatable>(_ output: KeyPath<Type, Output<Value>>) throws -> Value {
        try read(viewModel[keyPath: output])
    }

    /// Reads a list over the wire.
    ///
    /// - Returns: the rows, encoded and decoded again.
    /// - Throws: ``HarnessError`` when a row cannot be encoded or decoded, or two rows have the same id.
    public func read<Row: Schemable & Equatable & Identifiable>(
        _ output: KeyPath<Type, ListOutput<Row>>
    ) throws -> [Row] where Row.ID: Codable {
        let output = viewModel[keyPath: output].source
        let rows: [Row] = try read(output)
        var ids: Set<Row.ID> = []
        guard let row = rows.first(where: { !ids.insert($0.id).inserted }) else { return rows }
        let path = try members.name(of: output)
        throw HarnessError("two rows of \(path.instance).\(path.member) have the id \(row.id)")
    }

    private func read<Value: Decodable>(_ output: AnyOutput) throws -> Value {
        try checkSession()
        let path = try members.name(of: output)
        let values = try client.read(path.instance, outputs: [path.member])
        client.watch?.look(at: path.member, of: path.instance, client)
        do {
            _ = try output.encoded()
        } catch {
            // Clients keep the last value.
            throw HarnessError("the value of \(path.instance).\(path.member) cannot be sent: \(error)")
        }
        return try (values[path.member] ?? .null).decoded()
    }

    /// The client's picture of the ViewModel, with all frames applied.
    public var picture: Picture {
        client.watch?.look(at: nil, of: id, client)
        return client.picture(of: id) ?? Picture(id: id, epoch: "", seq: 0, values: [:])
    }

    /// The frames of the ViewModel and its children since the start, the oldest first.
    public var frames: [Frame] {
        for instance in members.instances { client.watch?.look(at: nil, of: instance, client) }
        return client.frames.filter { members.instances.contains($0.instance) }
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
    /// - Returns: the values of the events.
    /// - Throws: ``HarnessError`` when an encoded value cannot be decoded.
    public func events<Value: Schemable>(_ output: KeyPath<Type, Event<Value>>) throws -> [Value] {
        let path = try members.name(of: viewModel[keyPath: output])
        return try events(path.member, of: path.instance)
    }

    private func events<Value: Decodable>(_ output: String, of instance: String) throws -> [Value] {
        client.watch?.look(at: output, of: instance, client)
        return try client.frames.filter { $0.instance == instance }.flatMap(\.events)
            .filter { $0.output == output }
            .map { try $0.value.decoded() }
    }
}

/// The outputs of the session's built-in ViewModels.
extension Harness {
    /// The coordinator's scenes, with the top scene last.
    public var scenes: [Scene] {
        get throws { try shown("scenes", of: "coordinator") }
    }

    /// The prompts that wait for an answer, the oldest first.
    public var prompts: [Prompt] {
        get throws { try shown("pending", of: "prompter") }
    }

    /// The hints since the start, the oldest first.
    public var hints: [Hint] {
        get throws { try events("hint", of: "prompter") }
    }

    /// Answers a prompt as a client does.
    ///
    /// - Parameters:
    ///   - prompt: the prompt.
    ///   - button: the id of the chosen button.
    ///   - text: the text for a prompt of the kind `input`.
    /// - Throws: `ProtocolError` when the answer is refused.
    public func answer(_ prompt: Prompt, button: String? = nil, text: String? = nil) throws {
        var params: JSONObject = ["id": .string(prompt.id)]
        params["button"] = button.map { .string($0) }
        params["text"] = text.map { .string($0) }
        try client.request("prompter.answer", .object(params))
    }

    func shown<Value: Decodable>(_ output: String, of instance: String) throws -> Value {
        client.watch?.look(at: output, of: instance, client)
        return try (client.picture(of: instance)?[output] ?? .null).decoded()
    }
}
