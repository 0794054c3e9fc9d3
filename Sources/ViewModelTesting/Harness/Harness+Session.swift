public import ViewModelKit

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
        get throws {
            try client.frames.filter { $0.instance == "prompter" }.flatMap(\.events).map { try $0.value.decoded() }
        }
    }

    /// Answers a prompt as a client does.
    ///
    /// - Parameters:
    ///   - prompt: the prompt.
    ///   - button: the id of the chosen button.
    ///   - text: the text for a prompt of the kind `input`.
    /// - Throws: `ProtocolError` when the answer is refused.
    public func answer(_ prompt: Prompt, button: String? = nil, text: String? = nil) throws {
        var params: [String: JSONValue] = ["id": .string(prompt.id)]
        params["button"] = button.map { .string($0) }
        params["text"] = text.map { .string($0) }
        try client.request("prompter.answer", .object(params))
    }

    private func shown<Value: Decodable>(_ output: String, of instance: String) throws -> Value {
        try (client.picture(of: instance)?[output] ?? .null).decoded()
    }
}
