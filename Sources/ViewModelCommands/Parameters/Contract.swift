import ViewModelClient

/// The contract of the daemon, as `rpc.discover` returns it.
struct Contract: Sendable {
    /// The whole OpenRPC document.
    let document: JSONValue
    /// The contract of each ViewModel type, by its name.
    let types: JSONObject

    init(_ document: JSONValue) {
        self.document = document
        guard case .object(let types)? = document[JSONPointer(tokens: ["x-viewModels"])] else {
            self.types = [:]
            return
        }
        self.types = types
    }

    /// Returns the parameters of a member, or nil if the type has no such input or action.
    func shape(of member: String, type: String) -> ParameterForm? {
        if let input = self[type, "inputs", member] {
            return shape(input, "schema")
        }
        if let action = self[type, "actions", member] {
            return shape(action, "params")
        }
        return nil
    }

    /// Returns the type of a default instance or of its child from the id, or nil for other ids.
    func type(of instance: String) -> String? {
        guard let path = InstancePath(instance), let parent = path.parent else {
            return types[instance] == nil ? nil : instance
        }
        return type(of: parent.text).flatMap { child(of: $0, named: instance) }
    }

    /// Returns the type of a child from its parent's type and its own id.
    func child(of type: String, named instance: String) -> String? {
        guard let name = instance.split(separator: ".").last,
            case .string(let type)? = self[type, "children", String(name)]
        else { return nil }
        return type
    }

    private func shape(_ member: JSONValue, _ name: String) -> ParameterForm {
        guard let schema = member[JSONPointer(tokens: [name])], schema != .null else { return .nothing }
        let wanted = ParameterSchema(schema, in: document)
        if wanted.isNothing { return .nothing }
        return wanted.properties.map { .members($0) } ?? .single(wanted)
    }

    private subscript(tokens: String...) -> JSONValue? {
        document[JSONPointer(tokens: ["x-viewModels"] + tokens)]
    }
}

/// A cache of the contract, which the verbs of a script share.
actor ContractCache {
    private var contract: Contract?

    func value(_ client: ViewModelClient) async throws -> Contract {
        if let contract { return contract }
        let discovered = Contract(try await client.call(RPCDiscover.self))
        contract = discovered
        return discovered
    }
}
