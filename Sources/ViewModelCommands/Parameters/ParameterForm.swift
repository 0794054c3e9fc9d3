import ViewModelClient
import ViewModelContract

/// The parameters of an input or an action.
enum ParameterForm {
    /// No value.
    case nothing
    /// One value that is not an object, given as `value=…` or without a name.
    case single(ContractSchema, ContractComponents)
    /// The members of an object, each given as a named value.
    case members([ContractSchema.Property], ContractComponents)
    /// The contract does not describe the parameters, and the daemon checks them.
    case unknown

    /// Creates the form of a schema of a contract; null or no schema means no value.
    init(_ schema: ContractSchema?, in contract: Contract) {
        let components = contract.components
        guard let schema, !components.allowsNothing(schema) else {
            self = .nothing
            return
        }
        if case .object(let properties, _) = components.resolved(schema).rule {
            self = .members(properties, components)
        } else {
            self = .single(schema, components)
        }
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
    /// `isString` says whether the text stays a string wherever the schema allows one.
    func value(of text: String, named name: String, isString: Bool = false) -> JSONValue {
        func value(_ schema: ContractSchema, _ components: ContractComponents) -> JSONValue {
            isString && components.kinds(of: schema).contains(.string)
                ? .string(text) : components.value(of: text, as: schema)
        }
        switch self {
        case .single(let schema, let components) where name == "value": return value(schema, components)
        case .members(let members, let components):
            return members.first { $0.name == name }.map { value($0.schema, components) } ?? .string(text)
        default: return .string(text)
        }
    }
}

extension [ContractSchema.Property] {
    /// The name of the only member, or of the only required one.
    var principal: String? {
        let candidates = count == 1 ? self : filter(\.isRequired)
        return candidates.count == 1 ? candidates[0].name : nil
    }
}
