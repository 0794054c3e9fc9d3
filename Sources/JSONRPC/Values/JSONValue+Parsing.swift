extension JSONValue {
    /// Parses one JSON value with the same rules as ``ParsedMessage/parse(_:maximumBatch:)``.
    ///
    /// - Parameter text: One JSON value, with optional white space around it.
    /// - Throws: ``JSONSyntaxError`` with the offset of the first fault.
    package init(parsing text: Bytes) throws(JSONSyntaxError) {
        try JSONText.validate(text)
        var text = VerifiedText(text)
        text.skipWhiteSpace()
        self.init(reading: &text)
    }

    /// Reads verified text, recursively.
    ///
    /// Verified text has at most 128 levels.
    init(reading text: inout VerifiedText) {
        switch text.current {
        case ASCII.openBrace:
            var members: [String: JSONValue] = [:]
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
        case 0x74:
            _ = text.skipValue()
            self = .bool(true)
        case 0x66:
            _ = text.skipValue()
            self = .bool(false)
        case 0x6E:
            _ = text.skipValue()
            self = .null
        default:
            self = .number(String(decoding: text.bytes.part(text.skipValue()), as: UTF8.self))
        }
    }
}
