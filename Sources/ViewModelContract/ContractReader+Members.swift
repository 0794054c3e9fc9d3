import ViewModelProtocol

/// The inputs, outputs and actions of a type.
extension ContractReader {
    func input(_ name: String, _ node: ContractNode, _ shown: ContractType.Output?) -> ContractType.Input {
        checkSpelling(node, among: ["schema", "description", "field"])
        let schema = schema("schema", of: node)
        if isStrict, shown == nil, let field = node["field"], field.bool == true {
            refuse(field.fault("a field needs an output \(name) with the kind state"))
        }
        return ContractType.Input(
            name: name,
            description: node["description"]?.text ?? "",
            schema: schema.flatMap { $0.isNull ? nil : $0.withoutOptions },
            isField: node["field"]?.bool ?? (schema != nil && shown?.schema.node.json == schema?.node.json)
        )
    }

    /// Returns the outputs of a type.
    ///
    /// A document that was written by hand may leave out those that actions have by themselves. They follow the others.
    func outputs(
        of node: ContractNode,
        _ actions: [ContractType.Action],
        _ actionNames: Set<String>
    ) -> [ContractType.Output] {
        var outputs = members("outputs", of: node).map { output($0.name, $0.node, actionNames) }
        let declared = Set(outputs.map(\.name))
        for action in actions {
            for (part, node) in Self.actionOutputs where !declared.contains("\(action.name).\(part)") {
                outputs.append(output("\(action.name).\(part)", node, actionNames))
            }
        }
        return outputs
    }

    /// What each action has by itself (protocol, section 6).
    private static let actionOutputs: [(name: String, node: ContractNode)] = {
        let boolean: JSONValue = .object(["type": .string("boolean")])
        let number: JSONValue = .object(["type": .string("number")])
        let progress: JSONValue = .object(["anyOf": .array([number, ContractSchema.null.node.json])])
        return [("enabled", boolean), ("executing", boolean), ("progress", progress)]
            .map { ($0, ContractNode(.object(["schema": $1]))) }
    }()

    private func output(_ name: String, _ node: ContractNode, _ actions: Set<String>) -> ContractType.Output {
        checkSpelling(node, among: ["kind", "schema", "description", "example", "volatile"])
        let kind = word("kind", of: node, or: ContractType.Output.Kind.state)
        let given = schema("schema", of: node)
        if given == nil { refuse(node.fault("expected the member schema")) }
        let schema = given ?? .unreadable(node)
        if kind == .list { checkRows(schema, node) }
        let parts = name.split(separator: ".")
        return ContractType.Output(
            name: name,
            description: node["description"]?.text ?? "",
            kind: kind,
            schema: schema,
            isVolatile: node["volatile"]?.bool == true,
            action: parts.count == 2 && actions.contains(String(parts[0])) ? String(parts[0]) : nil,
            node: node
        )
    }

    private func checkRows(_ schema: ContractSchema, _ node: ContractNode) {
        if case .array(let row, _, _) = components.resolved(schema).rule,
            case .object(let properties, _) = components.resolved(row).rule,
            properties.contains(where: { $0.name == "id" && $0.isRequired })
        {
            return
        }
        refuse((node["schema"] ?? node).fault("expected an array of objects with the required member id"))
    }

    func action(_ name: String, _ node: ContractNode) -> ContractType.Action {
        checkSpelling(node, among: ["params", "result", "policy", "description", "errors", "example"])
        let parameters = schema("params", of: node)?.withoutOptions
        if isStrict, let given = node["params"], let members = given.members, !members.isEmpty,
            members.allSatisfy({ $0.node.members != nil && !["properties", "items"].contains($0.name) })
        {
            refuse(given.fault("expected the schema of an object, such as {type: object, properties: {…}}"))
        }
        return ContractType.Action(
            name: name,
            description: node["description"]?.text ?? "",
            policy: word("policy", of: node, or: .exclusive),
            parameters: parameters.flatMap { $0.isEmptyObject || $0.isNull ? nil : $0 },
            result: schema("result", of: node).flatMap { $0.isNull ? nil : $0 },
            failures: (node["errors"]?.elements ?? []).map { failure($0) },
            node: node
        )
    }

    /// Returns the case that a member names; the standard one without the member, and for a name that is refused.
    private func word<Word: RawRepresentable<String> & CaseIterable>(
        _ name: String,
        of node: ContractNode,
        or standard: Word
    ) -> Word {
        guard let given = node[name] else { return standard }
        if let known = given.text.flatMap(Word.init) { return known }
        let names = Word.allCases.map(\.rawValue)
        refuse(given.fault("expected \(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"))
        return standard
    }

    private func failure(_ node: ContractNode) -> ContractType.Failure {
        checkSpelling(node, among: ["error", "description", "retryable", "details"])
        let error = node["error"]?.text
        if error == nil { refuse(node.fault("expected a failure with the member error")) }
        return ContractType.Failure(
            error: error ?? "",
            description: node["description"]?.text ?? "",
            isRetryable: node["retryable"]?.bool == true,
            details: schema("details", of: node).flatMap { $0.isNull ? nil : $0 }
        )
    }
}
