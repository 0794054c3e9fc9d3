import JSONRPC
import ViewModelConfiguration
import ViewModelKit
import ViewModelProtocol

/// The ViewModels of a contract file, as a mock hosts them (protocol, section 9).
struct MockContract: Sendable {
    /// A type of the contract, with its members in their order.
    final class ViewModelType: Sendable {
        let name: String
        let description: String
        /// Nil if instances take no arguments.
        let arguments: ContractSchema?
        let inputs: [Input]
        let outputs: [Output]
        let actions: [Action]
        let children: [(name: String, type: ViewModelType)]

        init(
            name: String,
            description: String,
            arguments: ContractSchema?,
            inputs: [Input],
            outputs: [Output],
            actions: [Action],
            children: [(name: String, type: ViewModelType)]
        ) {
            self.name = name
            self.description = description
            self.arguments = arguments
            self.inputs = inputs
            self.outputs = outputs
            self.actions = actions
            self.children = children
        }
    }

    struct Input: Sendable {
        let name: String
        let description: String
        /// Nil for an input without a value.
        let schema: ContractSchema?
    }

    struct Output: Sendable {
        let name: String
        let description: String
        let kind: OutputContract.Kind
        let schema: ContractSchema
        /// Whether the value differs between two runs with the same inputs.
        let isVolatile: Bool
        /// The value of a new instance; null for an event.
        let initial: JSONValue
    }

    struct Action: Sendable {
        let name: String
        let description: String
        let policy: ActionPolicy
        /// Nil for an action without params.
        let parameters: ContractSchema?
        /// Nil for an action without a result.
        let result: ContractSchema?
        /// The result that calls get without a script.
        let answer: JSONValue
        let failures: [Failure]
    }

    struct Failure: Sendable {
        let error: String
        let description: String
        let retryable: Bool
        let details: ContractSchema?
    }

    /// The types that have instances of their own, in their order.
    let types: [ViewModelType]
    /// The schemas that references name.
    let components: ContractComponents
    /// The scenes that clients can open, with the instances that they show.
    let scenes: [(name: String, instance: String?)]

    /// Reads a contract file.
    ///
    /// - Parameter path: the path of a document in JSON or YAML.
    /// - Throws: `ConfigurationError`, which names the file, the line and the place in the document.
    init(path: String) throws(ConfigurationError) {
        let text: String
        do {
            text = try FileText.read(path, atMost: 64 << 20)
        } catch {
            throw Self.error(path, ContractFault(message: "the contract cannot be read: \(error.reason)"))
        }
        do {
            var reader = try MockContractReader(ContractNode(parsing: text))
            self = try reader.contract()
        } catch {
            throw Self.error(path, error)
        }
    }

    init(types: [ViewModelType], components: ContractComponents, scenes: [(name: String, instance: String?)]) {
        self.types = types
        self.components = components
        self.scenes = scenes
    }

    private static func error(_ path: String, _ fault: ContractFault) -> ConfigurationError {
        let place = fault.pointer.isEmpty ? "" : "\(fault.pointer): "
        return ConfigurationError(
            problems: [.init(location: .init(source: path, line: fault.line), message: place + fault.message)]
        )
    }
}

/// A reader of a contract document.
struct MockContractReader {
    private let types: ContractNode
    private let document: ContractNode
    private let components: ContractComponents
    private var made: [String: MockContract.ViewModelType] = [:]

    /// The ViewModels of the protocol itself, which a mock has anyway.
    private static let builtIn = InstanceID.builtIn

    init(_ document: ContractNode) throws(ContractFault) {
        guard document.members != nil else { throw document.fault("expected an OpenRPC document") }
        guard let types = document["x-viewModels"], types.members != nil else {
            throw document.fault("expected the member x-viewModels, a map of ViewModel types")
        }
        self.document = document
        self.types = types
        var components: ContractComponents = [:]
        var nodes: [(String, ContractNode)] = []
        for member in document["components"]?["schemas"]?.members ?? [] {
            nodes.append((member.name, member.node))
            components[member.name] = try ContractSchema(member.node)
        }
        self.components = components
        for (name, node) in nodes {
            try check(references: components[name], node)
            // A component that is nothing but itself describes no value.
            var seen: Set<String> = [name]
            var schema = components[name]
            while case .reference(let next)? = schema?.rule {
                guard seen.insert(next).inserted else { throw node.fault("the schema refers to itself only") }
                schema = components[next]
            }
        }
    }

    mutating func contract() throws(ContractFault) -> MockContract {
        let all = types.members ?? []
        let children = Set(all.flatMap { $0.node["children"]?.members ?? [] }.compactMap(\.node.text))
        let called = Set(
            (document["methods"]?.elements ?? []).compactMap { method in
                method["name"]?.text.flatMap { $0.split(separator: ".").first.map(String.init) }
            }
        )
        var hosted: [MockContract.ViewModelType] = []
        for (name, node) in all where !Self.builtIn.contains(name) {
            if name == MockControl.contract.name {
                throw node.fault("a mock has a ViewModel \(name) of its own; give this one another name")
            }
            let type = try self.type(name, node, inside: [])
            // A type that is a part of another one has instances of its own only if the contract says so.
            if children.contains(name), node["instance"] == nil, !called.contains(name) { continue }
            hosted.append(type)
        }
        guard !hosted.isEmpty else { throw types.fault("expected a ViewModel type") }
        return MockContract(types: hosted, components: components, scenes: try scenes())
    }

    private func scenes() throws(ContractFault) -> [(name: String, instance: String?)] {
        guard let scenes = document["x-scenes"] else { return [] }
        if let members = scenes.members {
            return members.map { ($0.name, $0.node.text ?? $0.node["instance"]?.text) }
        }
        var found: [(name: String, instance: String?)] = []
        for scene in scenes.elements ?? [] {
            guard let name = scene.text ?? (scene["name"] ?? scene["scene"])?.text else {
                throw scene.fault("expected a scene with a name")
            }
            found.append((name, scene["instance"]?.text))
        }
        return found
    }

    // MARK: Types

    private mutating func type(
        _ name: String,
        _ node: ContractNode,
        inside path: [String]
    ) throws(ContractFault) -> MockContract.ViewModelType {
        if let type = made[name] { return type }
        guard let id = InstanceID(name), !InstanceID.reserved.contains(id.text) else {
            throw node.fault(
                "\(name) is no name for a ViewModel: \(InstanceID.rule), and none of rpc, session, viewModel"
            )
        }
        guard node.members != nil else { throw node.fault("expected a ViewModel type") }
        try checkSpelling(node, among: ["description", "arguments", "inputs", "outputs", "actions", "children"])
        var inputs: [MockContract.Input] = []
        for (name, member) in try members("inputs", of: node) { inputs.append(try input(name, member)) }
        var outputs: [MockContract.Output] = []
        for (name, member) in try members("outputs", of: node) { outputs.append(try output(name, member)) }
        var actions: [MockContract.Action] = []
        for (name, member) in try members("actions", of: node) {
            if inputs.contains(where: { $0.name == name }) { throw member.fault("\(name) is an input, too") }
            actions.append(try action(name, member))
        }
        // The document may list what each action has by itself.
        let own = Set(
            actions.flatMap { action in ["enabled", "executing", "progress"].map { "\(action.name).\($0)" } }
        )
        outputs.removeAll { own.contains($0.name) }
        var children: [(name: String, type: MockContract.ViewModelType)] = []
        for (child, member) in try members("children", of: node) {
            guard let typeName = member.text, let childNode = types[typeName] else {
                throw member.fault("expected the name of a type in x-viewModels")
            }
            guard !(path + [name]).contains(typeName) else { throw member.fault("\(typeName) contains itself") }
            children.append((child, try type(typeName, childNode, inside: path + [name])))
        }
        let arguments = try schema("arguments", of: node)
        let type = MockContract.ViewModelType(
            name: name,
            description: node["description"]?.text ?? "",
            arguments: arguments.flatMap { $0.isEmptyObject || $0.isNull ? nil : $0 },
            inputs: inputs,
            outputs: outputs,
            actions: actions,
            children: children
        )
        made[name] = type
        return type
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
        try check(references: schema, member)
        return schema
    }

    private func check(references schema: ContractSchema?, _ node: ContractNode) throws(ContractFault) {
        for name in schema?.references ?? [] where components[name] == nil {
            throw node.fault("components.schemas has no \(name)")
        }
    }

    // MARK: Members

    private func input(_ name: String, _ node: ContractNode) throws(ContractFault) -> MockContract.Input {
        try checkSpelling(node, among: ["schema", "description"])
        let schema = try schema("schema", of: node)
        return MockContract.Input(
            name: name,
            description: node["description"]?.text ?? "",
            schema: schema.flatMap { $0.isNull ? nil : $0 }
        )
    }

    private func output(_ name: String, _ node: ContractNode) throws(ContractFault) -> MockContract.Output {
        try checkSpelling(node, among: ["kind", "schema", "description", "example", "volatile"])
        let kind: OutputContract.Kind
        switch node["kind"] {
        case nil: kind = .state
        case let given?:
            guard let known = given.text.flatMap(OutputContract.Kind.init(rawValue:)) else {
                throw given.fault("expected state, list or event")
            }
            kind = known
        }
        guard let schema = try schema("schema", of: node) else { throw node.fault("expected the member schema") }
        if kind == .list { try checkRows(schema, node) }
        let initial = kind == .event ? .null : try value(node, "example", schema)
        if kind == .list, !MockValue.haveUniqueIDs(initial) {
            throw (node["example"] ?? node).fault("two rows have the same id")
        }
        return MockContract.Output(
            name: name,
            description: node["description"]?.text ?? "",
            kind: kind,
            schema: schema,
            isVolatile: node["volatile"]?.json.boolValue == true,
            initial: initial
        )
    }

    private func checkRows(_ schema: ContractSchema, _ node: ContractNode) throws(ContractFault) {
        var schema = schema
        while case .reference(let name) = schema.rule, let target = components[name] { schema = target }
        if case .array(var row, _, _) = schema.rule {
            while case .reference(let name) = row.rule, let target = components[name] { row = target }
            if case .object(let properties, _) = row.rule,
                properties.contains(where: { $0.name == "id" && $0.isRequired })
            {
                return
            }
        }
        throw (node["schema"] ?? node).fault("expected an array of objects with the required member id")
    }

    private func action(_ name: String, _ node: ContractNode) throws(ContractFault) -> MockContract.Action {
        try checkSpelling(node, among: ["params", "result", "policy", "description", "errors", "example"])
        var policy = ActionPolicy.exclusive
        if let given = node["policy"] {
            guard let known = given.text.flatMap(ActionPolicy.Kind.init(rawValue:)) else {
                throw given.fault("expected \(ActionPolicy.Kind.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            policy = ActionPolicy(known)
        }
        let parameters = try schema("params", of: node)
        let result = try schema("result", of: node).flatMap { $0.isNull ? nil : $0 }
        var failures: [MockContract.Failure] = []
        for failure in node["errors"]?.elements ?? [] { failures.append(try self.failure(failure)) }
        return MockContract.Action(
            name: name,
            description: node["description"]?.text ?? "",
            policy: policy,
            parameters: parameters.flatMap { $0.isEmptyObject || $0.isNull ? nil : $0 },
            result: result,
            answer: try result.map { result throws(ContractFault) in try value(node, "example", result) } ?? .null,
            failures: failures
        )
    }

    private func failure(_ node: ContractNode) throws(ContractFault) -> MockContract.Failure {
        guard let error = node["error"]?.text else { throw node.fault("expected a failure with the member error") }
        let isRetryable = if case .bool(true)? = node["retryable"]?.value { true } else { false }
        let details = try schema("details", of: node)
        return MockContract.Failure(
            error: error,
            description: node["description"]?.text ?? "",
            retryable: isRetryable,
            details: details.flatMap { $0.isNull ? nil : $0 }
        )
    }

    /// Returns the example of a member, or the standard value of its schema.
    private func value(
        _ node: ContractNode,
        _ name: String,
        _ schema: ContractSchema
    ) throws(ContractFault) -> JSONValue {
        let given = node[name] ?? schema.example
        let value = given?.json ?? schema.standardValue(components)
        do {
            return try schema.check(value, components)
        } catch {
            let place = error.path.isEmpty ? "" : " at \(error.path)"
            let problem = "expected \(error.expected)\(place), found \(error.found)"
            throw given?.fault(problem) ?? node.fault("give an example, because no default fits: \(problem)")
        }
    }
}
