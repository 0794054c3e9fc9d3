import ViewModelContract
import ViewModelProtocol

/// The names of a generated JavaScript client.
///
/// The rule: a type's name begins with a capital letter and has its parts of letters and digits joined. A member has its
/// name on the wire. A name gets an underscore at its end, and more until it is free, if it is that of the runtime, of a
/// builtin, of a member that each class has, or of something before it in the contract. Names on the wire have no
/// underscore at their end, with the exception of instances.
struct JavaScriptNames {
    /// The names that the parts of the contract got.
    private(set) var given = GeneratedNames()
    /// The names of the constants that convert components.
    private(set) var shapes: [String: String] = [:]
    private(set) var failures: [(failure: ContractType.Failure, className: String)] = []
    private var failureClasses: [FailureKey: String] = [:]
    /// The names of inputs, actions and children, by their paths.
    private var members: [String: String] = [:]

    init(_ contract: Contract) {
        let reserved = Self.builtins.union(JavaScriptRuntime.names).union([
            "Client", "connect", "contractHash", "start",
        ])
        var scope = JavaScriptScope(reserved: reserved)
        for (type, name) in zip(contract.types, scope.types(contract.types.map(\.name))) {
            given.add(name, at: type.name)
            given.add(scope.add("\(name)Picture"), at: type.name, "picture")
            given.add(scope.add("\(name)Events"), at: type.name, "events")
        }
        let declared = contract.components.names
        for (name, type) in zip(declared, scope.types(declared)) {
            given.add(type, at: "components.\(name)")
            shapes[name] = scope.add("\(type.prefix(1).lowercased())\(type.dropFirst())Shape")
        }
        nameFailures(of: contract, &scope)
        let hosted = contract.types.filter { $0.instance != nil }.map(\.name)
        var accessors = JavaScriptScope(reserved: JavaScriptRuntime.connectionMembers)
        for (type, name) in zip(hosted, accessors.members(hosted)) { given.add(name, at: type, "attribute") }
        for type in contract.types {
            var own = JavaScriptScope(reserved: JavaScriptRuntime.viewModelMembers)
            for (path, name) in own.members(of: type, as: "", type.memberNames, &given) { members[path.text] = name }
        }
    }

    /// Returns the name of the type of a component.
    func component(_ name: String) -> String? { given.name("components.\(name)") }

    /// Returns the name of an input, an action or a child.
    func member(_ name: String, _ group: String, of type: String) -> String {
        members["\(type).\(group).\(name)", default: name]
    }

    func failureClass(of failure: ContractType.Failure, in type: String) -> String {
        var key = FailureKey(failure)
        if let name = failureClasses[key] { return name }
        key.type = type
        return failureClasses[key] ?? "ActionFailedError"
    }

    private mutating func nameFailures(of contract: Contract, _ scope: inout JavaScriptScope) {
        let declared = contract.types.flatMap { type in
            type.actions.flatMap { action in action.failures.map { (type: type.name, action: action.name, failure: $0) }
            }
        }
        let keys = declared.map { FailureKey($0.failure) }
        let details = Dictionary(grouping: keys, by: \.error).mapValues { Set($0.map(\.details)).count }
        for (key, (type, action, failure)) in zip(keys, declared) {
            var key = key
            if details[failure.error] != 1 { key.type = type }
            if failureClasses[key] == nil {
                let owner = key.type.map(JavaScriptRule.type) ?? ""
                let name = scope.add("\(owner)\(JavaScriptRule.type(failure.error))Error")
                failureClasses[key] = name
                failures.append((failure, name))
            }
            given.add(
                failureClass(of: failure, in: type),
                at: "\(type).actions.\(action).errors.\(failure.error)"
            )
        }
    }

    /// The names of the language that a type of a client may not hide.
    private static let builtins = ReservedNames.list("javascript-builtins")
}

/// The rule of ``JavaScriptNames``.
enum JavaScriptRule: NamingRule {
    static let keywords: Set<String> = []

    static func type(_ name: String) -> String {
        let joined = GeneratedText.capitalized(GeneratedText.words(name))
        return joined.unicodeScalars.first.map(GeneratedText.isStart) == true ? joined : "_\(joined)"
    }

    static func members(_ name: String) -> [String] { [name] }

    static func numbered(_ name: String, _ number: Int) -> String { name + String(repeating: "_", count: number - 1) }
}

typealias JavaScriptScope = GeneratedScope<JavaScriptRule>
