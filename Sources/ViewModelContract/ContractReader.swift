import ViewModelProtocol

extension Contract {
    /// Reads a document of `rpc.discover`, or one that was written by hand.
    ///
    /// Members that it does not know are ignored, unless their name resembles one that is missing.
    ///
    /// - Parameter document: the document.
    /// - Throws: ``ContractFault`` with the place of the first error.
    package init(_ document: ContractNode) throws(ContractFault) {
        var reader = try ContractReader(document)
        self = try reader.contract()
    }
}

/// A reader of a contract document.
private struct ContractReader {
    private let document: ContractNode
    private let types: [(name: String, node: ContractNode)]
    private let components: ContractComponents

    init(_ document: ContractNode) throws(ContractFault) {
        guard document.members != nil else { throw document.fault("expected an OpenRPC document") }
        guard let types = document["x-viewModels"]?.members else {
            throw document.fault("expected the member x-viewModels, a map of ViewModel types")
        }
        self.document = document
        self.types = types
        var schemas: [(name: String, schema: ContractSchema)] = []
        for member in document["components"]?["schemas"]?.members ?? [] {
            schemas.append((member.name, try ContractSchema(member.node)))
        }
        components = ContractComponents(schemas)
        for (name, component) in schemas {
            try check(references: component)
            // A component that is itself, or one of several types with itself among them, describes no value.
            guard !isReached(name, from: component) else {
                throw component.node.fault("the schema refers to itself only")
            }
        }
    }

    /// Returns whether a schema stands for a component without a member or an element between them.
    private func isReached(_ name: String, from schema: ContractSchema, passing passed: Set<String> = []) -> Bool {
        switch schema.rule {
        case .reference(name): true
        case .reference(let next):
            !passed.contains(next)
                && components[next].map { isReached(name, from: $0, passing: passed.union([next])) } == true
        case .anyOf(let alternatives): alternatives.contains { isReached(name, from: $0, passing: passed) }
        default: false
        }
    }

    mutating func contract() throws(ContractFault) -> Contract {
        var read: [ContractType] = []
        for (name, node) in types { read.append(try type(name, node)) }
        let information = document["info"]
        let declaredHash = information?["x-contract"]?.text
        // Generators write these texts into comments and literals.
        if let declaredHash,
            declaredHash.isEmpty || !declaredHash.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) })
        {
            throw (information?["x-contract"] ?? document).fault("expected a hash in lower-case hexadecimal digits")
        }
        return Contract(
            title: Self.line(information?["title"]?.text),
            version: Self.line(information?["version"]?.text),
            hash: declaredHash ?? ContractHash.of(document: document.json),
            isComplete: declaredHash != nil,
            types: read,
            components: components,
            scenes: try scenes()
        )
    }

    /// Returns a text on one line.
    private static func line(_ text: String?) -> String {
        (text ?? "").split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    private func scenes() throws(ContractFault) -> [ContractScene] {
        guard let scenes = document["x-scenes"] else { return [] }
        if let members = scenes.members {
            return members.map { ContractScene(name: $0.name, instance: $0.node.text ?? $0.node["instance"]?.text) }
        }
        var found: [ContractScene] = []
        for scene in scenes.elements ?? [] {
            guard let name = scene.text ?? (scene["name"] ?? scene["scene"])?.text else {
                throw scene.fault("expected a scene with a name")
            }
            found.append(ContractScene(name: name, instance: scene["instance"]?.text))
        }
        return found
    }

    // MARK: Types

    private func type(_ name: String, _ node: ContractNode) throws(ContractFault) -> ContractType {
        guard let id = InstanceID(name), !InstanceID.reserved.contains(id.text) else {
            throw node.fault(
                "\(name) is no name for a ViewModel: \(InstanceID.rule), and none of rpc, session, viewModel"
            )
        }
        guard node.members != nil else { throw node.fault("expected a ViewModel type") }
        try checkSpelling(
            node,
            among: [
                "description", "arguments", "inputs", "outputs", "actions", "children", "builtIn", "child", "instance",
            ]
        )
        var actions: [ContractType.Action] = []
        for (name, member) in try members("actions", of: node) { actions.append(try action(name, member)) }
        let outputs = try outputs(of: node, actions)
        var inputs: [ContractType.Input] = []
        for (name, member) in try members("inputs", of: node) {
            if actions.contains(where: { $0.name == name }) { throw member.fault("\(name) is also an action") }
            inputs.append(try input(name, member, outputs))
        }
        var children: [ContractType.Child] = []
        for (child, member) in try members("children", of: node) {
            guard let type = member.text, types.contains(where: { $0.name == type }) else {
                throw member.fault("expected the name of a type in x-viewModels")
            }
            children.append(ContractType.Child(name: child, type: type))
        }
        try checkCycle(name, node, inside: [])
        let paths = childPaths(of: name)
        return ContractType(
            name: name,
            description: node["description"]?.text ?? "",
            isBuiltIn: node["builtIn"]?.json.boolValue ?? InstanceID.builtIn.contains(name),
            instance: instance(of: name, node, isChild: !paths.isEmpty),
            childPaths: paths,
            arguments: try schema("arguments", of: node).flatMap { $0.isEmptyObject || $0.isNull ? nil : $0 },
            inputs: inputs,
            outputs: outputs,
            actions: actions,
            children: children,
            node: node
        )
    }

    private func checkCycle(
        _ name: String,
        _ node: ContractNode,
        inside path: [String]
    ) throws(ContractFault) {
        guard !path.contains(name) else { throw node.fault("\(name) contains itself") }
        for child in node["children"]?.members ?? [] {
            guard let type = types.first(where: { $0.name == child.node.text }) else { continue }
            try checkCycle(type.name, child.node.text == name ? child.node : type.node, inside: path + [name])
        }
    }

    /// Returns the id of a type's default instance, or nil if it exists only as a child.
    ///
    /// A document that does not say it has methods for the instance.
    private func instance(of name: String, _ node: ContractNode, isChild: Bool) -> String? {
        if let declared = node["instance"] { return declared.text }
        guard isChild else { return name }
        let methods = (document["methods"]?.elements ?? []).compactMap { $0["name"]?.text }
        return methods.contains { $0.split(separator: ".").first.map(String.init) == name } ? name : nil
    }

    /// Returns the ids at which a type is a child.
    private func childPaths(of name: String) -> [String] {
        func paths(_ type: (name: String, node: ContractNode), at id: String, depth: Int) -> [String] {
            (type.node["children"]?.members ?? []).flatMap { child -> [String] in
                guard depth < 16, let inner = types.first(where: { $0.name == child.node.text }) else { return [] }
                let path = "\(id).\(child.name)"
                return (inner.name == name ? [path] : []) + paths(inner, at: path, depth: depth + 1)
            }
        }
        let children = Set(types.flatMap { $0.node["children"]?.members ?? [] }.compactMap(\.node.text))
        return types.filter { !children.contains($0.name) || $0.node["instance"]?.text != nil }
            .flatMap { paths($0, at: $0.name, depth: 0) }
    }

    private func members(
        _ group: String,
        of node: ContractNode
    ) throws(ContractFault) -> [(name: String, node: ContractNode)] {
        guard let map = node[group] else { return [] }
        guard let members = map.members else { throw map.fault("expected a map of \(group)") }
        var names: Set<String> = []
        for member in members {
            // Outputs of actions have a dot.
            let parts = group == "outputs" ? member.name.split(separator: ".", omittingEmptySubsequences: false) : []
            let name = parts.count == 2 ? String(parts[0]) : member.name
            guard Self.isMemberName(name) else {
                throw member.node.fault("\(member.name) is no name for a member: a-z, then A-Z a-z 0-9")
            }
            guard names.insert(member.name).inserted else {
                throw member.node.fault("\(member.name) stands here twice")
            }
        }
        return members
    }

    private static func isMemberName(_ name: String) -> Bool {
        name.wholeMatch(of: /[a-z][A-Za-z0-9]*/) != nil
    }

    /// Throws for a member whose name is close to one that the node may have and lacks.
    private func checkSpelling(_ node: ContractNode, among names: [String]) throws(ContractFault) {
        for member in node.members ?? [] where !names.contains(member.name) && !member.name.hasPrefix("x-") {
            if let close = Suggestions.close(to: member.name, among: names).first, node[close] == nil {
                throw member.node.fault("there is no member \(member.name); did you mean \(close)?")
            }
        }
    }

    private func schema(_ name: String, of node: ContractNode) throws(ContractFault) -> ContractSchema? {
        guard let member = node[name] else { return nil }
        if case .null = member.value { return nil }
        let schema = try ContractSchema(member)
        try check(references: schema)
        return schema
    }

    private func check(references schema: ContractSchema) throws(ContractFault) {
        for name in schema.references where components[name] == nil {
            throw schema.node.fault("components.schemas has no \(name)")
        }
    }

    // MARK: Members

    private func input(
        _ name: String,
        _ node: ContractNode,
        _ outputs: [ContractType.Output]
    ) throws(ContractFault) -> ContractType.Input {
        try checkSpelling(node, among: ["schema", "description", "field"])
        let schema = try schema("schema", of: node)
        let shown = outputs.first { $0.name == name && $0.kind == .state }
        return ContractType.Input(
            name: name,
            description: node["description"]?.text ?? "",
            schema: schema.flatMap { $0.isNull ? nil : $0.withoutOptions },
            isField: node["field"]?.json.boolValue ?? (schema != nil && shown?.schema.node.json == schema?.node.json),
            node: node
        )
    }

    /// Returns the outputs of a type.
    ///
    /// A document that was written by hand may leave out those that actions have by themselves. They follow the others.
    private func outputs(
        of node: ContractNode,
        _ actions: [ContractType.Action]
    ) throws(ContractFault) -> [ContractType.Output] {
        var outputs: [ContractType.Output] = []
        for (name, member) in try members("outputs", of: node) { outputs.append(try output(name, member, actions)) }
        for action in actions {
            for (part, schema) in Self.actionOutputs {
                let name = "\(action.name).\(part)"
                guard !outputs.contains(where: { $0.name == name }) else { continue }
                outputs.append(
                    ContractType.Output(
                        name: name,
                        description: "",
                        kind: .state,
                        schema: try ContractSchema(try ContractNode(json: schema)),
                        isVolatile: false,
                        action: action.name,
                        node: action.node
                    )
                )
            }
        }
        return outputs
    }

    /// What each action has by itself (protocol, section 6).
    private static let actionOutputs = [
        ("enabled", #"{"type":"boolean"}"#), ("executing", #"{"type":"boolean"}"#),
        ("progress", #"{"anyOf":[{"type":"number"},{"type":"null"}]}"#),
    ]

    private func output(
        _ name: String,
        _ node: ContractNode,
        _ actions: [ContractType.Action]
    ) throws(ContractFault) -> ContractType.Output {
        try checkSpelling(node, among: ["kind", "schema", "description", "example", "volatile"])
        let kind: ContractType.Output.Kind
        switch node["kind"] {
        case nil: kind = .state
        case let given?:
            guard let known = given.text.flatMap(ContractType.Output.Kind.init(rawValue:)) else {
                throw given.fault("expected state, list or event")
            }
            kind = known
        }
        guard let schema = try schema("schema", of: node) else { throw node.fault("expected the member schema") }
        if kind == .list { try checkRows(schema, node) }
        let parts = name.split(separator: ".")
        return ContractType.Output(
            name: name,
            description: node["description"]?.text ?? "",
            kind: kind,
            schema: schema,
            isVolatile: node["volatile"]?.json.boolValue == true,
            action: parts.count == 2 && actions.contains { $0.name == parts[0] } ? String(parts[0]) : nil,
            node: node
        )
    }

    private func checkRows(_ schema: ContractSchema, _ node: ContractNode) throws(ContractFault) {
        if case .array(let row, _, _) = components.resolved(schema).rule,
            case .object(let properties, _) = components.resolved(row).rule,
            properties.contains(where: { $0.name == "id" && $0.isRequired })
        {
            return
        }
        throw (node["schema"] ?? node).fault("expected an array of objects with the required member id")
    }

    private func action(_ name: String, _ node: ContractNode) throws(ContractFault) -> ContractType.Action {
        try checkSpelling(node, among: ["params", "result", "policy", "description", "errors", "example"])
        var policy = ContractType.Action.Policy.exclusive
        if let given = node["policy"] {
            guard let known = given.text.flatMap(ContractType.Action.Policy.init(rawValue:)) else {
                let names = ContractType.Action.Policy.allCases.map(\.rawValue)
                throw given.fault("expected \(names.joined(separator: ", "))")
            }
            policy = known
        }
        let parameters = try schema("params", of: node)?.withoutOptions
        var failures: [ContractType.Failure] = []
        for failure in node["errors"]?.elements ?? [] { failures.append(try self.failure(failure)) }
        return ContractType.Action(
            name: name,
            description: node["description"]?.text ?? "",
            policy: policy,
            parameters: parameters.flatMap { $0.isEmptyObject || $0.isNull ? nil : $0 },
            result: try schema("result", of: node).flatMap { $0.isNull ? nil : $0 },
            failures: failures,
            node: node
        )
    }

    private func failure(_ node: ContractNode) throws(ContractFault) -> ContractType.Failure {
        guard let error = node["error"]?.text else { throw node.fault("expected a failure with the member error") }
        return ContractType.Failure(
            error: error,
            description: node["description"]?.text ?? "",
            isRetryable: node["retryable"]?.json.boolValue == true,
            details: try schema("details", of: node).flatMap { $0.isNull ? nil : $0 }
        )
    }
}
