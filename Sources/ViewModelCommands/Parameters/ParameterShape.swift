import ViewModelClient

/// What an input or an action takes.
enum ParameterShape {
    /// No value.
    case nothing
    /// One value that is no object, given as `value=…` or alone.
    case single(Schema)
    /// An object, given member by member.
    case members([String: Schema])
    /// The contract does not tell: the daemon will.
    case unknown

    /// What a parameter's text becomes.
    func value(of text: String, named name: String) -> JSONValue {
        switch self {
        case .single(let schema) where name == "value": schema.value(of: text)
        case .members(let members): members[name]?.value(of: text) ?? .string(text)
        default: .string(text)
        }
    }
}
