import JSONRPC
import ViewModelConfiguration
import ViewModelContract
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

    typealias Input = ContractType.Input

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
        let failures: [ContractType.Failure]
    }

    /// The types that have instances of their own, in their order.
    let types: [ViewModelType]
    /// The schemas that references name.
    let components: ContractComponents
    /// The names of the components that the mock shows, all but those of the built-in ViewModels, which it has anyway.
    let definitions: [String]
    /// The scenes that clients can open, with the instances that they show.
    let scenes: [ContractScene]

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
            var reader = MockContractReader(try Contract(ContractNode(parsing: text)))
            self = try reader.mock()
        } catch {
            throw Self.error(path, error)
        }
    }

    init(
        types: [ViewModelType],
        components: ContractComponents,
        definitions: [String],
        scenes: [ContractScene]
    ) {
        self.types = types
        self.components = components
        self.definitions = definitions
        self.scenes = scenes
    }

    private static func error(_ path: String, _ fault: ContractFault) -> ConfigurationError {
        let place = fault.pointer.isEmpty ? "" : "\(fault.pointer): "
        return ConfigurationError(
            problems: [.init(location: .init(source: path, line: fault.line), message: place + fault.message)]
        )
    }
}

/// A converter of contracts to mocks, which checks what only a mock needs.
private struct MockContractReader {
    private let contract: Contract
    private var made: [String: MockContract.ViewModelType] = [:]

    init(_ contract: Contract) {
        self.contract = contract
    }

    mutating func mock() throws(ContractFault) -> MockContract {
        for name in contract.components.names { try check(contract.components[name]) }
        var hosted: [MockContract.ViewModelType] = []
        // A mock has the ViewModels of the protocol itself anyway.
        for type in contract.types where !type.isBuiltIn {
            if type.name == MockControl.contract.name {
                throw type.node.fault("a mock has a ViewModel \(type.name) of its own; give this one another name")
            }
            let made = try self.type(type)
            // A type that is a part of another one has instances of its own only if the contract says so.
            if type.instance != nil { hosted.append(made) }
        }
        guard !hosted.isEmpty else {
            throw ContractFault(pointer: "/x-viewModels", message: "expected a ViewModel type")
        }
        let builtIn = references(of: contract.types.filter(\.isBuiltIn))
        let others = references(of: contract.types.filter { !$0.isBuiltIn })
        return MockContract(
            types: hosted,
            components: contract.components,
            definitions: contract.components.names.filter { others.contains($0) || !builtIn.contains($0) },
            scenes: contract.scenes
        )
    }

    /// Returns the names of the components that types use.
    private func references(of types: [ContractType]) -> Set<String> {
        var open = types.flatMap { type -> [ContractSchema?] in
            let actions = type.actions.flatMap { [$0.parameters, $0.result] + $0.failures.map(\.details) }
            return [type.arguments] + type.inputs.map(\.schema) + type.outputs.map(\.schema) + actions
        }.compactMap(\.self).flatMap(\.references)
        var found: Set<String> = []
        while let name = open.popLast() {
            if found.insert(name).inserted { open += contract.components[name]?.references ?? [] }
        }
        return found
    }

    private mutating func type(_ type: ContractType) throws(ContractFault) -> MockContract.ViewModelType {
        if let made = made[type.name] { return made }
        for input in type.inputs { try check(input.schema) }
        var outputs: [MockContract.Output] = []
        // Actions have their own outputs by themselves.
        for output in type.outputs where output.action == nil { outputs.append(try self.output(output)) }
        var actions: [MockContract.Action] = []
        for action in type.actions { actions.append(try self.action(action)) }
        var children: [(name: String, type: MockContract.ViewModelType)] = []
        for child in type.children {
            if let inner = contract.type(child.type) { children.append((child.name, try self.type(inner))) }
        }
        try check(type.arguments)
        let mock = MockContract.ViewModelType(
            name: type.name,
            description: type.description,
            arguments: type.arguments,
            inputs: type.inputs,
            outputs: outputs,
            actions: actions,
            children: children
        )
        made[type.name] = mock
        return mock
    }

    private func output(_ output: ContractType.Output) throws(ContractFault) -> MockContract.Output {
        try check(output.schema)
        let initial = output.kind == .event ? .null : try value(output.node, output.schema)
        if output.kind == .list, !MockValue.haveUniqueIDs(initial) {
            throw (output.node["example"] ?? output.node).fault("two rows have the same id")
        }
        return MockContract.Output(
            name: output.name,
            description: output.description,
            kind: OutputContract.Kind(rawValue: output.kind.rawValue) ?? .state,
            schema: output.schema,
            isVolatile: output.isVolatile,
            initial: initial
        )
    }

    private func action(_ action: ContractType.Action) throws(ContractFault) -> MockContract.Action {
        try check(action.parameters)
        try check(action.result)
        for failure in action.failures { try check(failure.details) }
        return MockContract.Action(
            name: action.name,
            description: action.description,
            policy: ActionPolicy(ActionPolicy.Kind(rawValue: action.policy.rawValue) ?? .exclusive),
            parameters: action.parameters,
            result: action.result,
            answer: try action.result.map { result throws(ContractFault) in try value(action.node, result) } ?? .null,
            failures: action.failures
        )
    }

    /// Throws for a schema that a mock cannot check.
    private func check(_ schema: ContractSchema?) throws(ContractFault) {
        guard let schema else { return }
        if var fault = schema.unread {
            fault.message = "a mock cannot check \(fault.message)"
            throw fault
        }
        if case .string(let rule) = schema.rule, let pattern = rule.pattern, (try? Regex(pattern)) == nil {
            throw (schema.node["pattern"] ?? schema.node).fault("expected a regular expression")
        }
        for part in schema.parts { try check(part) }
    }

    /// Returns the example of a member, or the standard value of its schema.
    private func value(_ node: ContractNode, _ schema: ContractSchema) throws(ContractFault) -> JSONValue {
        let given = node["example"] ?? schema.example
        let value = given?.json ?? schema.standardValue(contract.components)
        do {
            return try schema.check(value, contract.components)
        } catch {
            let place = error.path.isEmpty ? "" : " at \(error.path)"
            let problem = "expected \(error.expected)\(place), found \(error.found)"
            throw given?.fault(problem) ?? node.fault("give an example, because no default fits: \(problem)")
        }
    }
}
