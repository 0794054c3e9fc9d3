import ViewModelContract
import ViewModelKit
import ViewModelProtocol

/// The OpenRPC 1.3 document that `rpc.discover` returns (protocol, section 9).
///
/// It is made once, when a client first asks for it or attaches.
struct DiscoveryDocument {
    private let host: Host
    /// The types that the document describes, children not included.
    private let hosted: [HostedType]
    var schemas: SchemaDocument

    init(host: Host) {
        self.host = host
        hosted = host.builtInTypes + host.typeOrder.filter(\.isDescribed)
        schemas = SchemaDocument(definitions: host.catalog.definitions)
    }

    /// Returns the hash of the contract, without the rest of the document.
    func hash() -> String {
        var document = self
        return Self.hash(of: document.contract())
    }

    /// Returns the document as JSON text.
    func text() -> [UInt8] {
        var document = self
        let contract = document.contract()
        let members = document.members()
        let information: JSONObject = [
            "title": .string(host.name),
            "version": .string(host.version),
            "description": .string("ViewModels behind a JSON-RPC 2.0 Unix socket; protocol version 1."),
            "x-contract": .string(Self.hash(of: contract)),
        ]
        let head: JSONObject = ["openrpc": .string("1.3.2"), "info": .object(information)]
        return JSONValue.object(head.merging(members).merging(contract)).text
    }

    private static func hash(of contract: JSONObject) -> String {
        ContractHash.of(document: .object(contract))
    }

    /// Returns the contract: the types, and the components that they name.
    private mutating func contract() -> JSONObject {
        var described: JSONObject = [:]
        let paths = HostedType.childPaths(in: hosted)
        for type in hosted.flatMap(\.withChildren) where described[type.name] == nil {
            schemas.names.areBuiltIn = type.isBuiltIn
            described[type.name] = describe(type, childAt: paths[ExactString(type.name)] ?? [])
        }
        schemas.names.areBuiltIn = false
        var contract: JSONObject = ["x-viewModels": .object(described)]
        if !schemas.definitions.isEmpty {
            let sorted = schemas.definitions.sorted { $0.name < $1.name }.map { ($0.name, $0.schema) }
            contract["components"] = .object(["schemas": .object(JSONObject(sorted))])
        }
        return contract
    }

    /// Returns the members of the document between `info` and the contract.
    ///
    /// They name the components of the contract and add none.
    private mutating func members() -> JSONObject {
        var methods = ProtocolMethods.all.map { describe($0.type) }
        for type in hosted { methods.append(contentsOf: describeMembers(of: type, at: type.name)) }
        let notifications = ProtocolMethods.notifications.map { describe($0) }
        let registered = host.catalog.scenes.map { ($0.key.string, $0.value) }.sorted { $0.0 < $1.0 }
        let scenes = registered.map { name, instance in
            JSONValue.object([
                "scene": .string(name), "instance": instance.map { .string($0) } ?? .null,
            ])
        }
        var members: JSONObject = [
            "methods": .array(methods), "x-notifications": .array(notifications), "x-scenes": .array(scenes),
        ]
        let saved = host.catalog.savedValues ?? .object(savedValues())
        if saved.objectValue?.isEmpty == false { members["x-savedValues"] = saved }
        return members
    }

    /// Returns the values that each class saves.
    ///
    /// Clients do not see them, so they are no part of the contract's hash.
    private func savedValues() -> JSONObject {
        var schemas = SchemaDocument()
        let types = hosted.filter { !$0.isBuiltIn }.map { type in
            (name: type.name, classes: type.withChildren.compactMap { $0.contract.type })
        }
        let models = host.catalog.sharedModels.map { (name: $0.owner, classes: [$0 as any SavingValues.Type]) }
        let described = (types + models.sorted { $0.name < $1.name }).compactMap {
            name,
            classes -> (String, JSONValue)? in
            let values = classes.flatMap { $0.savedValues }
            guard !values.isEmpty, let type = classes.first else { return nil }
            let model = type as? any SharedModel.Type
            let former = (model?.formerOwners ?? type.formerNames).map { JSONValue.string($0) }
            var members: JSONObject = ["values": .object(JSONObject(values.map { ($0.name, $0.described(&schemas)) }))]
            if !former.isEmpty { members["formerly"] = .array(former) }
            let migrations = type.migrations.map { JSONValue.array($0.names.map { .string($0) }) }
            if !migrations.isEmpty { members["migrations"] = .array(migrations) }
            return (name, .object(members))
        }
        return JSONObject(described)
    }

    /// Returns whether a type has an instance of its own, and not only as a child.
    func hasInstance(_ type: HostedType) -> Bool {
        hosted.contains { $0.name == type.name }
    }
}

extension HostedType {
    /// The type and the types of its children.
    fileprivate var withChildren: [HostedType] { [self] + children.flatMap(\.type.withChildren) }
}

extension SavedContract {
    fileprivate func described(_ schemas: inout SchemaDocument) -> JSONValue {
        var members: JSONObject = ["keptFor": .string("\(persistence)")]
        if !formerNames.isEmpty { members["formerly"] = .array(formerNames.map { .string($0) }) }
        members["schema"] = schema.map { schemas.saved($0) } ?? .object([:])
        return .object(members)
    }
}
