import ViewModelProtocol

/// The names of a generated JavaScript client.
///
/// The rule: a type's name begins with a capital letter and has the parts between `-`, `_` and `.` joined. A member has
/// its name on the wire. A name that is taken gets an underscore at its end, and more until it is free: by a name of
/// the runtime, by a builtin, by a member that each class has, or by a name that comes before it in the contract. Names
/// on the wire have no underscore at their end, with the exception of instances.
struct JavaScriptNames {
    /// The names of the declarations of a ViewModel type.
    struct ClassName {
        let type: String
        let picture: String
        let events: String
    }

    /// A failure with the class that stands for it.
    struct Failure {
        let error: String
        let details: ContractSchema?
        let description: String
        let isRetryable: Bool
        /// The type that has it; nil if the details are the same wherever the failure is declared.
        let type: String?
        let className: String
    }

    private(set) var classes: [String: ClassName] = [:]
    private(set) var components: [String: String] = [:]
    /// The names of the constants that convert components.
    private(set) var shapes: [String: String] = [:]
    private(set) var failures: [Failure] = []
    /// The names of the default instances in `Client`.
    private(set) var accessors: [String: String] = [:]
    private var members: [String: [String: String]] = [:]

    init(_ contract: Contract) {
        var taken = Self.builtins.union(JavaScriptRuntime.names).union(["Client", "connect", "contractHash"])
        func claim(_ name: String) -> String { Self.claim(name, &taken) }
        for type in contract.types {
            let name = claim(Self.capitalized(type.name))
            classes[type.name] = ClassName(type: name, picture: claim("\(name)Picture"), events: claim("\(name)Events"))
        }
        for name in contract.components.names { components[name] = claim(Self.capitalized(name)) }
        for name in contract.components.names {
            let type = components[name, default: name]
            shapes[name] = claim("\(type.prefix(1).lowercased())\(type.dropFirst())Shape")
        }
        failures = Self.failures(of: contract) { claim($0) }
        accessors = Self.assign(
            contract.types.filter { $0.instance != nil }.map(\.name),
            JavaScriptRuntime.connectionMembers
        )
        for type in contract.types {
            let names = type.children.map(\.name) + type.inputs.map(\.name) + type.actions.map(\.name)
            members[type.name] = Self.assign(names, JavaScriptRuntime.viewModelMembers)
        }
    }

    /// Returns the name of an input, an action or a child.
    func member(_ name: String, of type: String) -> String { members[type]?[name] ?? name }

    /// Returns the name of the class of a declared failure.
    func failureClass(of failure: ContractType.Failure, in type: String) -> String {
        failures.first { Self.isSame($0, failure) && ($0.type == nil || $0.type == type) }?.className
            ?? "ActionFailedError"
    }

    // MARK: The rule

    /// Claims the names that are free, then those that have to change.
    private static func assign(_ names: [String], _ reserved: Set<String>) -> [String: String] {
        var taken = reserved.union(names)
        var assigned: [String: String] = [:]
        for name in names { assigned[name] = reserved.contains(name) ? claim(name, &taken) : name }
        return assigned
    }

    private static func claim(_ name: String, _ taken: inout Set<String>) -> String {
        var name = name
        while !taken.insert(name).inserted { name += "_" }
        return name
    }

    /// Returns the parts of a name with capital first letters.
    static func capitalized(_ name: String) -> String {
        let joined = GeneratedText.capitalized(GeneratedText.words(name))
        return joined.first?.isLetter == true ? joined : "_\(joined)"
    }

    private static func isSame(_ one: Failure, _ other: ContractType.Failure) -> Bool {
        one.error == other.error && one.details?.node.json == other.details?.node.json
    }

    private static func failures(of contract: Contract, claim: (String) -> String) -> [Failure] {
        let declared = contract.types.flatMap { type in
            type.actions.flatMap { action in action.failures.map { (type: type.name, failure: $0) } }
        }
        var failures: [Failure] = []
        for (type, failure) in declared {
            let isPlain = declared.allSatisfy {
                $0.failure.error != failure.error || $0.failure.details?.node.json == failure.details?.node.json
            }
            let owner = isPlain ? nil : type
            guard !failures.contains(where: { isSame($0, failure) && $0.type == owner }) else { continue }
            failures.append(
                Failure(
                    error: failure.error,
                    details: failure.details,
                    description: failure.description,
                    isRetryable: failure.isRetryable,
                    type: owner,
                    className: claim("\(owner.map(capitalized) ?? "")\(capitalized(failure.error))Error")
                )
            )
        }
        return failures
    }

    /// The names of the language that a type of a client may not hide.
    private static let builtins: Set<String> = [
        "AggregateError", "Array", "ArrayBuffer", "AsyncGenerator", "AsyncIterable", "AsyncIterator", "Atomics",
        "Awaited",
        "BigInt", "BigInt64Array", "BigUint64Array", "Boolean", "Capitalize", "ConstructorParameters", "DataView",
        "Date",
        "Error", "EvalError", "Exclude", "Extract", "FinalizationRegistry", "Float32Array", "Float64Array", "Function",
        "Generator", "Infinity", "InstanceType", "Int16Array", "Int32Array", "Int8Array", "Intl", "Iterable",
        "Iterator",
        "JSON", "Lowercase", "Map", "Math", "NaN", "NoInfer", "NonNullable", "Number", "Object", "Omit",
        "OmitThisParameter", "Parameters", "Partial", "Pick", "Promise", "PromiseLike", "PropertyKey", "Proxy",
        "RangeError", "Readonly", "ReadonlyArray", "ReadonlyMap", "ReadonlySet", "Record", "ReferenceError", "Reflect",
        "RegExp", "Required", "ReturnType", "Set", "SharedArrayBuffer", "String", "Symbol", "SyntaxError", "ThisType",
        "TypeError", "URIError", "Uint16Array", "Uint32Array", "Uint8Array", "Uint8ClampedArray", "Uncapitalize",
        "Uppercase", "WeakMap", "WeakRef", "WeakSet", "AbortController", "AbortSignal", "TextDecoder", "TextEncoder",
        "WebSocket",
    ]
}
