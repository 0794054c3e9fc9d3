extension JSONValue {
    /// The id of a request as a value.
    public init(_ id: RequestID) {
        switch id {
        case .null: self = .null
        case .number(let text): self = .number(text)
        case .string(let text): self = .string(text)
        }
    }
}

extension RequestID {
    /// The id that a value names; nil where it is no string, no number and not null.
    public init?(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .number(let text): self = .number(text)
        case .string(let text): self = .string(text)
        default: return nil
        }
    }
}
