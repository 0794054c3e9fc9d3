extension JSONValue: Codable {
    /// Reads a value of any kind.
    ///
    /// ``JSONValueDecoder`` provides the JSON text, so that numbers keep theirs. With another decoder the initializer
    /// tries one type after the other, and a number is an `Int` or a `Double`.
    public init(from decoder: any Decoder) throws {
        if let text = VerbatimText.read(from: decoder),
            let value = try? Array(text.utf8).withUnsafeBytes({ try JSONValue(parsing: $0) })
        {
            self = value
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number("\(value)")
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Writes the value.
    ///
    /// This module's encoder receives the JSON text, so that numbers keep theirs. Another encoder receives each number
    /// as an `Int` or a `Double`.
    public func encode(to encoder: any Encoder) throws {
        if VerbatimText.write(description, to: encoder) { return }
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let text):
            if let value = intValue { try container.encode(value) } else { try container.encode(Double(text)) }
        case .string(let value): try container.encode(value)
        case .array(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }
}
