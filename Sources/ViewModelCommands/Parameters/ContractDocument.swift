import ViewModelClient

/// The document of `rpc.discover`, as the verbs read it.
///
/// It is lenient: what it cannot read is absent, so that a verb works with the daemon of another version.
struct ContractDocument: Sendable {
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

    /// Returns the ids at which a type has instances without being opened: its default instance and its children.
    func instances(of type: String) -> [String] {
        let children = childPaths(of: type)
        guard let declared = types[type]?["instance"]?.stringValue else { return children.isEmpty ? [type] : children }
        return [declared] + children
    }

    /// Returns the ids at which a type is a child, such as `mine.header`.
    func childPaths(of type: String, depth: Int = 0) -> [String] {
        types.flatMap { parent, value -> [String] in
            let names = (value["children"]?.objectValue ?? [:]).filter { $0.value.stringValue == type }.keys
            guard !names.isEmpty, depth < 16 else { return [] }
            let above = childPaths(of: parent, depth: depth + 1)
            return (above.isEmpty ? [parent] : above).flatMap { id in names.map { "\(id).\($0)" } }
        }
    }

    /// Returns the arguments of a type, or nil for an unknown type.
    func arguments(of type: String) -> ParameterForm? {
        types[type].map { shape($0, "arguments") }
    }

    private func shape(_ member: JSONValue, _ name: String) -> ParameterForm {
        ParameterForm(member[name].flatMap { $0.isNull ? nil : ParameterSchema($0, in: document) })
    }

    private subscript(tokens: String...) -> JSONValue? {
        document[JSONPointer(tokens: ["x-viewModels"] + tokens)]
    }
}

/// A cache of the contract, which the verbs of a script share.
actor ContractCache {
    private var contract: ContractDocument?

    func value(_ client: ViewModelClient) async throws -> ContractDocument {
        if let contract { return contract }
        let discovered = ContractDocument(try await client.call(RPCDiscover.self))
        contract = discovered
        return discovered
    }
}
