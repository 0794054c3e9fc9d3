import ViewModelClient
import ViewModelContract

/// The parameters of an input or an action; none if the daemon checks them, or if there is no value.
struct ParameterForm {
    static let unknown = ParameterForm()

    /// The members of an object, each given as a named value, or the one parameter `value`, which may have no name.
    private(set) var parameters: [(name: String, schema: ContractSchema, isRequired: Bool)] = []
    /// Whether the parameters are the members of an object.
    private(set) var isObject = false
    private var components: ContractComponents?

    private init() {}

    /// Creates the form of a schema of a contract; null or no schema means no value.
    init(_ schema: ContractSchema?, in contract: Contract) {
        let components = contract.components
        guard let schema, !components.allowsNothing(schema) else { return }
        self.components = components
        if case .object(let properties, _) = components.resolved(schema).rule {
            (parameters, isObject) = (properties.map { ($0.name, $0.schema, $0.isRequired) }, true)
        } else {
            parameters = [("value", schema, true)]
        }
    }

    /// Creates the form of a member's params; they are unknown if the type has no such input or action.
    init(of member: String, _ type: ContractType, in contract: Contract) {
        self.init(type.input(member)?.schema ?? type.action(member)?.parameters, in: contract)
    }

    /// Converts a parameter's text to JSON.
    ///
    /// `isString` says whether the text stays a string wherever the schema allows one.
    func value(of text: String, named name: String, isString: Bool = false) -> JSONValue {
        guard let components, let schema = parameters.first(where: { $0.name == name })?.schema,
            !isString || !components.kinds(of: schema).contains(.string)
        else { return .string(text) }
        return components.value(of: text, as: schema)
    }

    /// The name of the only member, or of the only required one.
    var principal: String? {
        let candidates = parameters.count == 1 ? parameters : parameters.filter(\.isRequired)
        return candidates.count == 1 ? candidates[0].name : nil
    }
}
