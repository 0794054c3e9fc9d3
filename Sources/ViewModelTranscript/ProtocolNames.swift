import ViewModelContract
import ViewModelProtocol

/// The names of members in the messages of the protocol.
enum ProtocolNames {
    private static let methods: [any DescribedMethod.Type] = [
        SessionAttach.self, SessionList.self, SessionClose.self, SessionRestrict.self, ViewModelOpen.self,
        ViewModelClose.self, ViewModelList.self, ViewModelRead.self, ViewModelBind.self, ViewModelUnbind.self,
        RPCDiscover.self, CancelRequest.self,
    ]
    private static let notifications: [any DescribedNotification.Type] = [
        ViewModelChanged.self, ViewModelClosed.self, SessionClosed.self,
    ]

    /// The JSON Schemas of the params of the protocol's own methods.
    static let params = Dictionary(uniqueKeysWithValues: methods.map { ($0.name, $0.paramsSchema.json) })

    /// The names that no schema here has: of envelopes, of the data of errors, of calls, of patches and windows, and of the
    /// scripts of mocks.
    private static let words: [String] = [
        "jsonrpc", "id", "method", "params", "result", "error", "code", "message", "data",
        "offset", "hint", "reason", "instance", "member", "suggestions", "path", "expected", "found", "incident",
        "details", "retryable", "limit", "action", "session", "type", "value", "deadline", "node", "attached",
        "_meta", "key", "held",
        "op", "from", "add", "remove", "replace", "move", "copy", "test", "rows", "count",
        "mock", "set", "on", "reset", "output", "call", "delay", "progress", "failure", "refusal",
    ]

    // A key path to a member of these types ends the compiler (Swift 6.3.1).
    private static let schemas =
        methods.flatMap { [$0.paramsSchema.json, $0.resultSchema.json] } + notifications.map { $0.paramsSchema.json }
    private static let methodNames = methods.map { $0.name } + notifications.map { $0.name }

    /// All names, those in scripts of a mock included, and the words of which the names of methods consist.
    static let all = Set(words)
        .union(schemas.flatMap(\.memberNames))
        .union(methodNames.flatMap { $0.split(separator: ".").map { String($0) } })
}

extension JSONValue {
    /// The names of the members of all objects in a value of this JSON Schema.
    fileprivate var memberNames: [String] {
        switch self {
        case .object(let members):
            members.flatMap { $1.memberNames } + (members["properties"]?.objectValue ?? [:]).map { $0.key }
        case .array(let parts): parts.flatMap(\.memberNames)
        default: []
        }
    }
}

extension Contract {
    /// The names of types, members and members of values.
    var names: Set<String> {
        var names = Set(types.map(\.name))
        for type in types { type.node.collectNames(in: &names) }
        for component in components.names { components[component]?.node.collectNames(in: &names) }
        return names
    }
}

extension ContractNode {
    /// Collects the names of the members of an object and of its parts; those of actions' outputs in two parts.
    fileprivate func collectNames(in names: inout Set<String>) {
        for (name, node) in members ?? [] {
            names.formUnion(name.split(separator: ".").map { String($0) } + [name])
            node.collectNames(in: &names)
        }
        for element in elements ?? [] { element.collectNames(in: &names) }
    }
}
