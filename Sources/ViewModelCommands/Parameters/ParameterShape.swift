import ViewModelClient

/// The parameters of an input or an action.
enum ParameterShape {
    /// No value.
    case nothing
    /// One value that is not an object, given as `value=…` or without a name.
    case single(ParameterSchema)
    /// The members of an object, each given as a named value.
    case members([String: ParameterSchema])
    /// The contract does not describe the parameters, and the daemon checks them.
    case unknown

    /// Converts a parameter's text to JSON.
    func value(of text: String, named name: String) -> JSONValue {
        switch self {
        case .single(let schema) where name == "value": schema.value(of: text)
        case .members(let members): members[name]?.value(of: text) ?? .string(text)
        default: .string(text)
        }
    }
}
