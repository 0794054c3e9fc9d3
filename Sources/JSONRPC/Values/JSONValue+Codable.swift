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
            self = .object(JSONObject(try container.decode([String: JSONValue].self).map { ($0.key, $0.value) }))
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
        case .object(let members):
            // A Swift dictionary has one of two names that differ only in their form.
            try container.encode(Dictionary(members.map { ($0.key, $0.value) }) { $1 })
        }
    }
}

extension JSONValue {
    /// Parses one JSON value with the same rules as ``Envelope/init(parsing:)``.
    ///
    /// - Parameter text: One JSON value, with optional white space around it.
    /// - Throws: ``JSONSyntaxError`` with the offset of the first fault.
    package init(parsing text: Bytes) throws(JSONSyntaxError) {
        try JSONText.validate(text)
        var text = JSONScanner(text)
        text.skipWhiteSpace()
        self.init(reading: &text)
    }

    /// Reads verified text, recursively.
    ///
    /// Verified text has at most 128 levels.
    init(reading text: inout JSONScanner) {
        switch text.current {
        case ASCII.openBrace:
            var members = JSONObject()
            if text.enter() {
                repeat {
                    let (name, hasEscapes) = text.name()
                    let key = JSONText.string(text.bytes.part(name), hasEscapes: hasEscapes)
                    members[key] = JSONValue(reading: &text)
                } while text.next()
            }
            text.position += 1
            self = .object(members)
        case ASCII.openBracket:
            var elements: [JSONValue] = []
            if text.enter() {
                repeat {
                    elements.append(JSONValue(reading: &text))
                } while text.next()
            }
            text.position += 1
            self = .array(elements)
        case ASCII.quote:
            let start = text.position + 1
            let hasEscapes = text.skipString()
            self = .string(JSONText.string(text.bytes.part(start..<(text.position - 1)), hasEscapes: hasEscapes))
        default:
            let literal = text.bytes.part(text.skipValue())
            switch literal.first {
            case 0x74: self = .bool(true)
            case 0x66: self = .bool(false)
            case 0x6E: self = .null
            default: self = .number(String(decoding: literal, as: UTF8.self))
            }
        }
    }
}

extension JSONValue {
    /// Parses JSON text; returns nil for invalid text.
    public init?(text: [UInt8]) {
        guard let value = text.withUnsafeBytes({ try? JSONValue(parsing: $0) }) else { return nil }
        self = value
    }

    /// Parses JSON text; returns nil for invalid text.
    public init?(text: String) {
        self.init(text: Array(text.utf8))
    }

    /// The value's JSON text, on one line.
    public var text: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }
}
