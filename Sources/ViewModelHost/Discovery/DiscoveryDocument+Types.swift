import ViewModelContract
import ViewModelKit
import ViewModelProtocol

/// The descriptions of ViewModel types for `x-viewModels`.
extension DiscoveryDocument {
    /// Describes a type, which is a child at some paths.
    mutating func describe(_ type: HostedType, childAt paths: [String]) -> JSONValue {
        let contract = type.contract
        var members: JSONObject = ["description": .string(contract.description)]
        if type.isBuiltIn { members["builtIn"] = .bool(true) }
        if hasInstance(type) { members["instance"] = .string(type.name) }
        if !paths.isEmpty { members["child"] = .array(paths.map { .string($0) }) }
        members["arguments"] = params(contract.arguments?.schema, nil)
        members["inputs"] = .object(JSONObject(contract.inputs.map { ($0.name, describe($0, of: contract)) }))
        members["outputs"] = .object(outputs(of: contract))
        members["actions"] = .object(JSONObject(contract.actions.map { ($0.name, describe($0)) }))
        members["children"] = .object(JSONObject(type.children.map { ($0.name, .string($0.type.name)) }))
        return .object(members)
    }

    private mutating func describe(_ input: InputContract, of contract: HostedContract) -> JSONValue {
        let schema = input.shape.schema
        var members: JSONObject = [
            "schema": schema.map { params($0, Meta.inputSchema) } ?? schemas.sent(.null),
            "description": .string(input.description),
        ]
        if input.isField ?? hasOutput(of: input, contract) { members["field"] = .bool(true) }
        return .object(members)
    }

    /// Returns whether a state has the name and the type of an input, so that both are a field (protocol, section 6).
    private func hasOutput(of input: InputContract, _ contract: HostedContract) -> Bool {
        let output = contract.outputs.first { $0.name == input.name && $0.kind == .state }
        guard let shown = output?.shape.schema, let given = input.shape.schema else { return false }
        // The type of an input alone gets no name here.
        var schemas = schemas
        return schemas.sent(shown) == schemas.sent(given)
    }

    /// Describes the outputs with those of actions, in the order of the wire.
    private mutating func outputs(of contract: HostedContract) -> JSONObject {
        var outputs: JSONObject = [:]
        for output in contract.outputs {
            var members: JSONObject = [
                "kind": .string(output.kind.rawValue),
                "schema": schemas.sent(output.shape.schema ?? .null),
                "description": .string(output.description),
            ]
            if output.isVolatile { members["volatile"] = .bool(true) }
            outputs[output.name] = .object(members)
        }
        for action in contract.actions {
            for output in ActionOutput.allCases {
                outputs["\(action.name).\(output.rawValue)"] = .object([
                    "kind": .string(ContractType.Output.Kind.state.rawValue),
                    "schema": schemas.sent(output.schema),
                    "description": .string(output.description(of: action.name)),
                ])
            }
        }
        return outputs
    }

    private mutating func describe(_ action: ActionContract) -> JSONValue {
        .object([
            "params": params(action.parameters.schema, Meta.actionSchema),
            "result": schemas.sent(action.result.schema ?? .null),
            "policy": .string(action.policy.kind.rawValue),
            "description": .string(action.description),
            "errors": .array(action.failures().map { describe($0) }),
        ])
    }

    /// Returns the entry of a declared failure in the contract.
    private mutating func describe(_ failure: FailureContract) -> JSONValue {
        .object([
            "error": .string(failure.error),
            "description": .string(failure.description),
            "retryable": .bool(failure.retryable),
            "details": failure.details.map { schemas.sent($0) } ?? .null,
        ])
    }

    /// Returns the schema of params, whose objects also have the options of the call.
    ///
    /// A schema of a contract file may refer to a component, and may leave out `additionalProperties` and the options. The
    /// host handles it like the schema of a type, so it is shown in the same form.
    mutating func params(_ schema: Schema?, _ options: Schema?) -> JSONValue {
        let received = schemas.received(schema ?? .object([]))
        let params = schemas.closed(schemas.withMembers(received))
        guard let options, case .object(let members) = params, members["properties"]?[Meta.member] == nil else {
            return params
        }
        return .object(
            JSONObject(
                members.map { name, value in
                    guard name == "properties" else { return (name, value) }
                    return (name, value.adding(Meta.member, schemas.received(options)))
                }
            )
        )
    }
}

/// An output that each action has by itself (protocol, section 6).
enum ActionOutput: String, CaseIterable {
    case enabled
    case executing
    case progress

    fileprivate var schema: Schema {
        switch self {
        case .enabled, .executing: .boolean
        case .progress: .optional(.number)
        }
    }

    fileprivate func description(of action: String) -> String {
        switch self {
        case .enabled: "Whether `\(action)` can be called."
        case .executing: "Whether `\(action)` executes."
        case .progress: "The progress of `\(action)` from 0 to 1, or null."
        }
    }
}
