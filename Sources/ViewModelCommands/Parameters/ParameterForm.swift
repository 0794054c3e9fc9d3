import ViewModelClient
import ViewModelContract

/// The parameters of an input or an action.
enum ParameterForm {
    /// No value.
    case nothing
    /// One value that is not an object, given as `value=…` or without a name.
    case single(ParameterSchema)
    /// The members of an object, each given as a named value.
    case members(ParameterMembers)
    /// The contract does not describe the parameters, and the daemon checks them.
    case unknown

    /// Creates the form of a schema; null or no schema means no value.
    init(_ schema: ParameterSchema?) {
        guard let schema, !schema.isNothing else {
            self = .nothing
            return
        }
        self = schema.members.map(Self.members) ?? .single(schema)
    }

    /// Creates the form of a schema of a contract; nil means no value.
    init(_ schema: ContractSchema?, in contract: Contract) {
        self.init(schema.map { ParameterSchema($0, in: contract.components) })
    }

    /// Creates the form of a member's params; they are unknown if the type has no such input or action.
    init(of member: String, _ type: ContractType, in contract: Contract) {
        if let input = type.input(member) {
            self.init(input.schema, in: contract)
        } else if let action = type.action(member) {
            self.init(action.parameters, in: contract)
        } else {
            self = .unknown
        }
    }

    /// Converts a parameter's text to JSON.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - name: The name of the parameter.
    ///   - isString: Whether the text stays a string wherever the schema allows one.
    /// - Returns: The JSON.
    func value(of text: String, named name: String, isString: Bool = false) -> JSONValue {
        let schema: ParameterSchema? =
            switch self {
            case .single(let schema) where name == "value": schema
            case .members(let members): members.schema(of: name)
            default: nil
            }
        guard let schema, !isString || !schema.kinds.contains(.string) else { return .string(text) }
        return schema.value(of: text)
    }
}

/// The members of an object in the declared order.
struct ParameterMembers {
    /// The names and schemas.
    let all: [(name: String, schema: ParameterSchema)]
    /// The names of the members that must be given.
    let required: Set<String>

    init(_ all: [(String, ParameterSchema)], required: Set<String>) {
        self.all = all.map { (name: $0.0, schema: $0.1) }
        self.required = required
    }

    /// The names.
    var names: [String] { all.map(\.name) }

    /// The name of the only member, or of the only required one.
    var principal: String? {
        let candidates = names.count == 1 ? names : names.filter(required.contains)
        return candidates.count == 1 ? candidates[0] : nil
    }

    /// Returns the schema of a member.
    func schema(of name: String) -> ParameterSchema? {
        all.first { $0.name == name }?.schema
    }
}
