import ViewModelContract

/// The methods of a ViewModel type in a generated Swift client.
extension SwiftClientModels {
    mutating func input(
        _ text: inout SwiftClientText,
        _ input: ContractType.Input,
        _ member: Member
    ) {
        let parameters = self.parameters(input.schema, member.place, reserved: Self.labels)
        let list = parameters.declarations + ["options: CallOptions = CallOptions()"]
        text.gap()
        text.doc(
            input.description.isEmpty ? "The input `\(input.name)`." : input.description,
            "- Returns: The step from which on the effects are visible."
        )
        text.line("@discardableResult")
        text.function("public func \(SwiftClientNames.code(member.name))", list, " async throws -> Int") { text in
            let value = self.value(&text, input.schema, parameters)
            text.list(
                "return try await self.client.send",
                ["input: \(Self.method(input.name))"] + value + ["options: options"]
            )
        }
    }

    mutating func field(
        _ text: inout SwiftClientText,
        _ input: ContractType.Input,
        _ member: Member
    ) {
        guard let schema = input.schema else { return }
        let type = types.type(schema, member.place)
        text.gap()
        text.doc(
            "Returns the field `\(input.name)`, for a text box or another control.",
            "Keep it as long as the control exists."
        )
        text.block("public func \(SwiftClientNames.code(member.name))() -> RemoteField<\(type)>") { text in
            let isWrapped = contract.components.mayBeObject(schema) && !contract.components.isObject(schema)
            let kind = isWrapped ? ", isWrapped: true" : ""
            text.line("client.field(id, \(SwiftClientText.literal(input.name))\(kind))")
        }
    }

    mutating func action(
        _ text: inout SwiftClientText,
        _ action: ContractType.Action,
        _ member: Member,
        _ failure: String?
    ) {
        let params = GeneratedPlace(path: "\(member.place.path).params", hint: member.place.hint)
        let parameters = self.parameters(action.parameters, params, reserved: Self.labels)
        let list = parameters.declarations + ["options: CallOptions = CallOptions()"]
        let result = action.result.map { types.type($0, member.place.appending(".result", "Result")) }
        let failures = action.failures.map { failure in
            "- `\(failure.error)`\(failure.description.isEmpty ? "" : ": \(GeneratedText.line(failure.description))")"
        }
        text.gap()
        text.doc(
            action.description.isEmpty ? "The action `\(action.name)`." : action.description,
            failure.map { failures.isEmpty ? "" : "The declared failures are in ``\($0)``:" } ?? "",
            failures.joined(separator: "\n")
        )
        if result != nil { text.line("@discardableResult") }
        let tail = " async throws" + (result.map { " -> \($0)" } ?? "")
        text.function("public func \(SwiftClientNames.code(member.name))", list, tail) { text in
            let value = self.value(&text, action.parameters, parameters)
            text.list(
                "\(result == nil ? "" : "return ")try await self.client.run",
                ["action: \(Self.method(action.name))"] + value + ["options: options"]
            )
        }
    }

    /// Appends the code that makes the params of a call, and returns the argument that passes them.
    private func value(
        _ text: inout SwiftClientText,
        _ schema: ContractSchema?,
        _ parameters: Parameters
    ) -> [String] {
        guard schema != nil else { return [] }
        if parameters.isValue { return ["value"] }
        params(&text, "let params = ", parameters)
        return ["params"]
    }

    /// Appends the code that makes the params of a call.
    func params(_ text: inout SwiftClientText, _ head: String, _ parameters: Parameters) {
        let whole = head + "CallParams()" + parameters.additions.joined()
        if parameters.additions.count < 3 { return text.line(whole) }
        text.line(head + "CallParams()")
        for addition in parameters.additions { text.line("    " + addition) }
    }

    private static let labels: Set<String> = ["options", "params"]

    private static func method(_ member: String) -> String {
        "\"\\(self.id).\(SwiftClientText.literal(member).dropFirst())"
    }

    // MARK: - Params

    /// The parameters of a method, and the code that makes the params of the call.
    struct Parameters {
        var declarations: [String] = []
        /// The calls that add the members to `CallParams()`.
        var additions: [String] = []
        /// Whether the params are the value itself.
        var isValue = false
    }

    /// Returns the parameters for a value: the members of an object, or the value itself (protocol, section 6).
    ///
    /// They stand in the order of the contract, whatever is required: Swift lets one leave out any with a default.
    mutating func parameters(
        _ schema: ContractSchema?,
        _ place: GeneratedPlace,
        reserved: Set<String>
    ) -> Parameters {
        guard let schema else { return Parameters() }
        guard case .object(let properties, let others) = contract.components.resolved(schema).rule else {
            let type = types.type(schema, place)
            return Parameters(
                declarations: ["_ value: \(type)"],
                additions: [".including(\"value\", value)"],
                isValue: contract.components.isObject(schema)
            )
        }
        if properties.isEmpty, others != nil {
            return Parameters(declarations: ["_ value: \(types.type(schema, place))"], isValue: true)
        }
        var scope = SwiftClientScope(reserved: reserved)
        var parameters = Parameters()
        for (property, name) in zip(properties, scope.members(properties.map(\.name))) {
            types.given.add(name, at: "\(place.path).\(property.name)")
            let label = SwiftClientNames.code(name)
            let type = types.type(property, in: place)
            parameters.declarations.append("\(label): \(type)\(type.hasSuffix("?") ? " = nil" : "")")
            let verb = property.isRequired ? "including" : "adding"
            parameters.additions.append(".\(verb)(\(SwiftClientText.literal(property.name)), \(label))")
        }
        return parameters
    }
}
