import ViewModelContract

/// The rule by which a language names the parts of a contract.
protocol NamingRule {
    /// The words that are never a name. A name that equals one gets a `_` at its end.
    static var keywords: Set<String> { get }

    static func type(_ name: String) -> String

    /// Returns the possible names of a member, the best one first.
    static func members(_ name: String) -> [String]

    /// Returns the second, third … name for things that have one name.
    static func numbered(_ name: String, _ number: Int) -> String
}

/// The names in one scope of generated code.
struct GeneratedScope<Rule: NamingRule> {
    /// Canonically equivalent names are equal, as in Python.
    private var names: Set<String> = []
    /// The number of the next thing with a name.
    private var numbers: [String: Int] = [:]
    private let reserved: Set<String>

    /// Creates a scope; another name that equals a reserved one gets a `_` at its end.
    init(reserved: Set<String> = []) {
        self.reserved = reserved.union(Rule.keywords)
    }

    /// Adds a name that no rule changes, with a number if the scope has it already.
    mutating func add(_ name: String) -> String { add([name]) }

    mutating func type(_ name: String) -> String { add([Rule.type(name)]) }

    mutating func types(_ names: [String]) -> [String] { names.map { type($0) } }

    mutating func member(_ name: String) -> String { members([name])[0] }

    /// Adds the names of several members.
    ///
    /// A name depends on the other members only if their best names are equal. Then the member with this name in the
    /// contract gets it, otherwise the first one. The others get their next name.
    mutating func members(_ names: [String]) -> [String] {
        let possible = names.map(Rule.members)
        var given: [Int: String] = [:]
        for index in names.indices where possible[index].first.map(allowed) == names[index] {
            given[index] = add(possible[index])
        }
        return names.indices.map { given[$0] ?? add(possible[$0]) }
    }

    /// Adds the names of inputs, actions and children of a type, and notes them.
    mutating func members(
        of type: ContractType,
        as name: String,
        _ groups: [(group: String, names: [String])],
        _ given: inout GeneratedNames
    ) -> [(path: SchemaPath, name: String)] {
        let paths = groups.flatMap { group, names in names.map { Self.path(type, group, $0, name) } }
        let named = zip(paths, members(groups.flatMap(\.names))).map { (path: $0, name: $1) }
        for (path, name) in named { given.add(name, at: path.text) }
        return named
    }

    /// Returns the path of a member of a type that has a name in the client.
    static func path(_ type: ContractType, _ group: String, _ member: String, _ name: String) -> SchemaPath {
        SchemaPath(text: "\(type.name).\(group).\(member)", hint: name + Rule.type(member))
    }

    /// Adds the first of some names that is free, or the first one with a number.
    private mutating func add(_ possible: [String]) -> String {
        for name in possible.map(allowed) where names.insert(name).inserted { return name }
        let name = allowed(possible.first ?? "")
        while true {
            let number = numbers[name, default: 2]
            numbers[name] = number + 1
            let candidate = Rule.numbered(name, number)
            if !reserved.contains(candidate), names.insert(candidate).inserted { return candidate }
        }
    }

    private func allowed(_ name: String) -> String { reserved.contains(name) ? name + "_" : name }
}
