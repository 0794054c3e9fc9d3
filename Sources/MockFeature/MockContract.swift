import TextPatterns
import ViewModelConfiguration
import ViewModelContract
import ViewModelYAML
import ViewModelKit
import ViewModelProtocol

/// The ViewModels of a contract file, as a mock hosts them (protocol, section 9).
struct MockContract: Sendable {
    /// The contract of the file.
    let contract: Contract
    /// The types that have instances of their own, in their order.
    let types: [ContractType]
    /// The names of the components that the mock shows, all but those of the built-in ViewModels, which it has anyway.
    let definitions: [String]
    /// The patterns that the mock does not check.
    private(set) var unchecked: [ContractFault] = []
    /// The values of outputs in a new instance, and the results of calls without a script, by type and member.
    private var initial: [String: JSONObject] = [:]
    private var answers: [String: JSONObject] = [:]

    /// The schemas that references name.
    var components: ContractComponents { contract.components }

    /// Returns the value of an output of a new instance; null for an event.
    func initialValue(of output: ContractType.Output, in type: ContractType) -> JSONValue {
        initial[type.name]?[output.name] ?? .null
    }

    /// Returns the result of a call without a script.
    func answer(of action: ContractType.Action, in type: ContractType) -> JSONValue {
        answers[type.name]?[action.name] ?? .null
    }

    /// Returns the children of a type, with their types.
    func children(of type: ContractType) -> [(name: String, type: ContractType)] {
        type.children.compactMap { child in contract.type(child.type).map { (child.name, $0) } }
    }
}

extension MockContract {
    /// Reads a contract file.
    ///
    /// - Parameter path: the path of a document in JSON or YAML.
    /// - Throws: `ConfigurationError`, which names the file, the line and the place in the document.
    init(path: String) throws(ConfigurationError) {
        let text: String
        do {
            text = try FileText.read(path, atMost: 64 << 20, mayWait: true)
        } catch {
            throw Self.error(path, ContractFault(message: "the contract cannot be read: \(error.reason)"))
        }
        do {
            self = try MockContract(Contract(ContractNode(parsing: text), isStrict: true))
        } catch {
            throw Self.error(path, error)
        }
    }

    private static func error(_ path: String, _ fault: ContractFault) -> ConfigurationError {
        let place = fault.pointer.isEmpty ? "" : "\(fault.pointer): "
        return ConfigurationError(
            problems: [.init(location: .init(source: path, line: fault.line), message: place + fault.message)]
        )
    }
}

extension ContractType {
    /// The outputs without those that actions have by themselves.
    var ownOutputs: [Output] { outputs.filter { $0.action == nil } }
}

extension MockContract {
    /// Reads a contract, and checks what only a mock needs.
    private init(_ contract: Contract) throws(ContractFault) {
        self.contract = contract
        // A mock has the ViewModels of the protocol itself anyway.
        let own = contract.types.filter { !$0.isBuiltIn }
        // A type that is a part of another one has instances of its own only if the contract says so.
        types = own.filter { $0.instance != nil }
        definitions = contract.filteringTypes { !$0.isBuiltIn }.components.names
        for name in contract.components.names { try check(contract.components[name]) }
        for type in own {
            if type.name == MockControl.contract.name {
                throw type.node.fault("a mock has a ViewModel \(type.name) of its own; give this one another name")
            }
            try check(type.arguments)
            for input in type.inputs { try check(input.schema) }
            for output in type.ownOutputs { initial[type.name, default: [:]][output.name] = try value(of: output) }
            for action in type.actions { answers[type.name, default: [:]][action.name] = try answer(of: action) }
        }
        if types.isEmpty { throw ContractFault(pointer: "/x-viewModels", message: "expected a ViewModel type") }
    }

    private mutating func value(of output: ContractType.Output) throws(ContractFault) -> JSONValue {
        try check(output.schema)
        guard output.kind != .event else { return .null }
        let initial = try value(output.node, output.schema)
        if output.kind == .list, !MockValue.haveUniqueIDs(initial) {
            throw (output.node["example"] ?? output.node).fault("two rows have the same id")
        }
        return initial
    }

    private mutating func answer(of action: ContractType.Action) throws(ContractFault) -> JSONValue {
        try check(action.parameters)
        try check(action.result)
        for failure in action.failures { try check(failure.details) }
        return try action.result.map { result throws(ContractFault) in try value(action.node, result) } ?? .null
    }

    /// Throws for a schema that a mock cannot check, and notes a pattern that it does not check.
    private mutating func check(_ schema: ContractSchema?) throws(ContractFault) {
        guard let schema else { return }
        if var fault = schema.unread {
            fault.message = "a mock cannot check \(fault.message)"
            throw fault
        }
        if case .string(let rule) = schema.rule, let pattern = rule.pattern {
            do throws(TextPattern.Fault) {
                _ = try TextPattern(pattern)
            } catch {
                let fault = (schema.node["pattern"] ?? schema.node).fault("expected a regular expression: \(error)")
                guard error.isUnsupported else { throw fault }
                unchecked.append(fault)
            }
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
