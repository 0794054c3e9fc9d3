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
    package let schemas: JSONObject
    /// The names of the protocol's own methods.
    package let protocolMethods: Set<String>

    /// Reads a document.
    package init(document: JSONValue) {
        hash = ContractHash.of(document: document)
        types = document["x-viewModels"]?.objectValue?.dictionary(DiscoveredType.init) ?? [:]
        schemas = document["components"]?["schemas"]?.objectValue ?? [:]
        let methods = document["methods"]?.arrayValue?.compactMap { $0["name"]?.stringValue } ?? []
        let own = methods.filter { name in ["rpc.", "session.", "viewModel."].contains { name.hasPrefix($0) } }
        protocolMethods = Set(own).union(["rpc.discover", CancelRequest.name])
    }

    /// Returns the names of the types that an instance may have: one, or all if nothing tells.
    ///
    /// The id of a default instance is the name of its type. Clients choose other ids.
    ///
    /// - Parameters:
    ///   - instance: the id of the instance. The id of a child has the names of the children after dots.
    ///   - opened: the types of the instances that clients have opened, by their ids.
    /// - Returns: the names.
    package func typeNames(of instance: String, opened: [String: Set<String>] = [:]) -> Set<String> {
        var path = instance.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let root = path.removeFirst()
        var names = opened[root, default: []].filter { types[$0] != nil }
        if types[root] != nil { names.insert(root) }
        for child in path { names = Set(names.compactMap { types[$0]?.children[child] }).filter { types[$0] != nil } }
        return names.isEmpty ? Set(types.keys) : names
    }

    /// Returns the types that an instance may have: one, or all if the contract alone does not tell.
    package func types(of instance: String) -> [DiscoveredType] {
        typeNames(of: instance).compactMap { types[$0] }
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
    package let inputs: JSONObject
    package let outputs: [String: Output]
    package let actions: [String: Action]
    /// The types of the children by their names.
    package let children: [String: String]

    init(_ value: JSONValue) {
        arguments = value["arguments"] ?? .null
        inputs = value["inputs"]?.objectValue?.mapValues { $0["schema"] ?? .null } ?? [:]
        outputs =
            value["outputs"]?.objectValue?.dictionary { output in
                Output(schema: output["schema"] ?? .null, isVolatile: output["volatile"]?.boolValue ?? false)
            } ?? [:]
        actions =
            value["actions"]?.objectValue?.dictionary { action in
                Action(
                    params: action["params"] ?? .null,
                    result: action["result"] ?? .null,
                    details: action["errors"]?.arrayValue?.compactMap { $0["details"] } ?? []
                )
            } ?? [:]
        children = value["children"]?.objectValue?.dictionary(\.stringValue) ?? [:]
    }
}
