import ViewModelContract

extension SwiftClientModels {
    mutating func method(_ input: ContractType.Input, _ member: Member) -> Values {
        let parameters = self.parameters(input.schema, member.path, reserved: Self.labels)
        let doc = SwiftClientText.doc(
            input.description.isEmpty ? "The input `\(input.name)`." : input.description,
            "- Returns: The step from which on the effects are visible."
        )
        return method(member, doc, parameters, result: "Int", call: "send", "input", input.name, input.schema)
    }

    mutating func method(_ action: ContractType.Action, _ member: Member, _ failure: String?) -> Values {
        let params = SchemaPath(text: "\(member.path.text).params", hint: member.path.hint)
        let parameters = self.parameters(action.parameters, params, reserved: Self.labels)
        let result = action.result.map { types.type($0, member.path.appending(".result", "Result")) }
        let failures = action.failures.map { failure in
            "- `\(failure.error)`\(failure.description.isEmpty ? "" : ": \(GeneratedText.line(failure.description))")"
        }
        let doc = SwiftClientText.doc(
            action.description.isEmpty ? "The action `\(action.name)`." : action.description,
            failure.map { failures.isEmpty ? "" : "The declared failures are in ``\($0)``:" } ?? "",
            failures.joined(separator: "\n")
        )
        return method(member, doc, parameters, result: result, call: "run", "action", action.name, action.parameters)
    }

    private func method(
        _ member: Member,
        _ doc: String,
        _ parameters: Parameters,
        result: String?,
        call: String,
        _ label: String,
        _ wire: String,
        _ schema: ContractSchema?
    ) -> Values {
        let signature = SwiftClientText.list(
            "public func \(SwiftClientNames.code(member.name))",
            parameters.declarations + ["options: CallOptions = CallOptions()"],
            " async throws\(result.map { " -> \($0)" } ?? "") {",
            depth: 1
        )
        let target = "\(label): \"\\(self.id).\(SwiftClientText.literal(wire).dropFirst())"
        let value = schema == nil ? [] : [parameters.isValue ? "value" : "params"]
        let call = SwiftClientText.list(
            "\(result == nil ? "" : "return ")try await self.client.\(call)",
            [target] + value + ["options: options"],
            depth: 2
        )
        return [
            "method": "true", "doc": doc, "hasResult": result ?? "", "signature": signature, "call": call,
            "params": value == ["params"] ? parameters.code : "",
        ]
    }

    mutating func field(_ input: ContractType.Input, _ member: Member) -> Values? {
        guard let schema = input.schema else { return nil }
        let isWrapped = contract.components.mayBeObject(schema) && !contract.components.isObject(schema)
        let doc = SwiftClientText.doc(
            "Returns the field `\(input.name)`, for a text box or another control.",
            "Keep it as long as the control exists."
        )
        return [
            "field": "true", "doc": doc, "name": SwiftClientNames.code(member.name),
            "type": types.type(schema, member.path), "wire": SwiftClientText.literal(input.name),
            "kind": isWrapped ? ", isWrapped: true" : "",
        ]
    }

    private static let labels: Set<String> = ["options", "params"]

    // MARK: - Params

    /// The parameters of a method, and the code that makes the params of the call.
    struct Parameters {
        var declarations: [String] = []
        var additions: [String] = []
        /// Whether the params are the value itself.
        var isValue = false

        var code: String {
            let start = additions.count < 3 ? "" : "\n    "
            return "let params = CallParams()" + additions.map { start + $0 }.joined()
        }
    }

    /// Returns the parameters for a value: the members of an object, or the value itself (protocol, section 6).
    ///
    /// They stand in the order of the contract, whatever is required: Swift lets one leave out any with a default.
    mutating func parameters(
        _ schema: ContractSchema?,
        _ path: SchemaPath,
        reserved: Set<String>
    ) -> Parameters {
        guard let schema else { return Parameters() }
        guard case .object(let properties, let others) = contract.components.resolved(schema).rule else {
            let type = types.type(schema, path)
            return Parameters(
                declarations: ["_ value: \(type)"],
                additions: [".including(\"value\", value)"],
                isValue: contract.components.isObject(schema)
            )
        }
        if properties.isEmpty, others != nil {
            return Parameters(declarations: ["_ value: \(types.type(schema, path))"], isValue: true)
        }
        var scope = SwiftClientScope(reserved: reserved)
        var parameters = Parameters()
        for (property, name) in zip(properties, scope.members(properties.map(\.name))) {
            types.given.add(name, at: "\(path.text).\(property.name)")
            let label = SwiftClientNames.code(name)
            let type = types.type(property, in: path)
            parameters.declarations.append("\(label): \(type)\(type.hasSuffix("?") ? " = nil" : "")")
            let verb = property.isRequired ? "including" : "adding"
            parameters.additions.append(".\(verb)(\(SwiftClientText.literal(property.name)), \(label))")
        }
        return parameters
    }
}
