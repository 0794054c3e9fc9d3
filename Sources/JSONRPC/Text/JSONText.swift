/// Reads parts of JSON text that has been verified, by ``ParsedMessage/parse(_:maximumBatch:)`` or ``validate(_:)``.
public enum JSONText {
    /// Verifies that the bytes are one JSON value, as strictly as a message.
    public static func validate(_ bytes: Bytes) throws(JSONSyntaxError) {
        var scanner = JSONScanner(bytes)
        scanner.skipWhiteSpace()
        try scanner.value(inside: 0)
        try scanner.finish()
    }

    /// The kind of a value; white space before it is skipped.
    public static func kind(of value: Bytes) -> JSONKind {
        var text = VerifiedText(value)
        text.skipWhiteSpace()
        return switch text.current {
        case ASCII.openBrace: .object
        case ASCII.openBracket: .array
        case ASCII.quote: .string
        case 0x74, 0x66: .boolean
        case 0x6E: .null
        default: .number
        }
    }

    /// Calls a closure with the name of each member of an object and the place of its value, in their order.
    public static func forEachMember(
        of object: Bytes,
        _ body: (_ name: String, _ value: Range<Int>) throws -> Void
    ) rethrows {
        var text = VerifiedText(object)
        guard text.enter() else { return }
        repeat {
            let (range, hasEscapes) = text.name()
            let name = string(object.part(range), hasEscapes: hasEscapes)
            try body(name, text.skipValue())
        } while text.next()
    }

    /// Calls a closure with the place of each element of an array, in their order.
    public static func forEachElement(of array: Bytes, _ body: (Range<Int>) throws -> Void) rethrows {
        var text = VerifiedText(array)
        guard text.enter() else { return }
        repeat {
            try body(text.skipValue())
        } while text.next()
    }

    /// The place of a value without the white space around it.
    static func trimmed(_ value: Bytes) -> Range<Int> {
        var start = 0
        var end = value.count
        while start < end, ASCII.isWhiteSpace(value[start]) { start += 1 }
        while end > start, ASCII.isWhiteSpace(value[end - 1]) { end -= 1 }
        return start..<end
    }
}
