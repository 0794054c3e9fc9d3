package import ViewModelProtocol

/// A contract that was read from a document of `rpc.discover`.
///
/// It is lenient: what the document lacks is absent, so that the contract of any daemon can be read.
package struct DiscoveredContract: Sendable {
    /// The hash of the contract.
    package let hash: String
    /// The ViewModel types by name.
    package let types: [String: DiscoveredType]
    /// The schemas by the names under which others refer to them.
    package let schemas: [String: JSONValue]
    /// The names of the protocol's own methods.
    package let protocolMethods: Set<String>

    /// Reads a document.
    package init(document: JSONValue) {
        hash = ContractHash.of(document: document)
        types = document["x-viewModels"]?.objectValue?.mapValues(DiscoveredType.init) ?? [:]
        schemas = document["components"]?["schemas"]?.objectValue ?? [:]
        let methods = document["methods"]?.arrayValue?.compactMap { $0["name"]?.stringValue } ?? []
        let own = methods.filter { name in ["rpc.", "session.", "viewModel."].contains { name.hasPrefix($0) } }
        protocolMethods = Set(own).union(["rpc.discover", CancelRequest.name])
    }

    /// Returns the types that an instance may have: one, or all if the contract alone does not tell.
    ///
    /// The id of a default instance is the name of its type. Clients choose other ids.
    package func types(of instance: String) -> [DiscoveredType] {
        var path = instance.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard var type = types[path.removeFirst()] else { return Array(types.values) }
        for child in path {
            guard let next = type.children[child].flatMap({ types[$0] }) else { return Array(types.values) }
            type = next
        }
        return [type]
    }

    /// Returns whether an output is declared as volatile.
    package func isVolatile(_ output: String, of instance: String) -> Bool {
        types(of: instance).contains { $0.outputs[output]?.isVolatile == true }
    }
}

/// A ViewModel type of a contract.
package struct DiscoveredType: Sendable {
    /// An output of a type.
    package struct Output: Sendable {
        /// The schema of the value; of a list, the array.
        package let schema: JSONValue
        /// Whether the value differs between two runs with the same inputs.
        package let isVolatile: Bool
    }

    /// The schemas of an action.
    package struct Action: Sendable {
        package let params: JSONValue
        package let result: JSONValue
        /// The schemas of the details of declared failures.
        package let details: [JSONValue]
    }

    package let arguments: JSONValue
    /// The schemas of the inputs' values.
    package let inputs: [String: JSONValue]
    package let outputs: [String: Output]
    package let actions: [String: Action]
    /// The types of the children by their names.
    package let children: [String: String]

    init(_ value: JSONValue) {
        arguments = value["arguments"] ?? .null
        inputs = value["inputs"]?.objectValue?.mapValues { $0["schema"] ?? .null } ?? [:]
        outputs =
            value["outputs"]?.objectValue?.mapValues { output in
                Output(schema: output["schema"] ?? .null, isVolatile: output["volatile"]?.boolValue ?? false)
            } ?? [:]
        actions =
            value["actions"]?.objectValue?.mapValues { action in
                Action(
                    params: action["params"] ?? .null,
                    result: action["result"] ?? .null,
                    details: action["errors"]?.arrayValue?.compactMap { $0["details"] } ?? []
                )
            } ?? [:]
        children = value["children"]?.objectValue?.compactMapValues(\.stringValue) ?? [:]
    }
}
