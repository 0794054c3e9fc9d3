extension JSONValue {
    /// Creates a value from the id of a request.
    package init(_ id: RequestID) {
        switch id {
        case .null: self = .null
        case .number(let text): self = .number(text)
        case .string(let text): self = .string(text)
        }
    }
}

extension RequestID {
    /// Creates an id from a value; returns nil for a Boolean, an array or an object.
    package init?(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .number(let text): self = .number(text)
        case .string(let text): self = .string(text)
        default: return nil
        }
    }
}
