/// A JSON value of any kind, for code that keeps pictures without knowing their types.
///
/// A number keeps its text, and two numbers are equal if their values are. If an object has a name twice, the last
/// member wins. Names are compared as Swift strings, by canonical equivalence.
public indirect enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// The JSON text of a number.
    case number(String)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object([String: JSONValue])
}

extension JSONValue {
    /// Appends the value's JSON text.
    ///
    /// Members are sorted by the bytes of their names.
    package func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .number(let text): writer.bytes.append(contentsOf: text.utf8)
        case .string(let value): writer.string(value)
        case .array(let elements):
            writer.byte(ASCII.openBracket)
            for (index, element) in elements.enumerated() {
                if index > 0 { writer.byte(ASCII.comma) }
                element.write(to: &writer)
            }
            writer.byte(ASCII.closeBracket)
        case .object(let members):
            writer.byte(ASCII.openBrace)
            for (index, member) in members.sorted(by: { Self.precedes($0.key, $1.key) }).enumerated() {
                if index > 0 { writer.byte(ASCII.comma) }
                writer.string(member.key)
                writer.byte(ASCII.colon)
                member.value.write(to: &writer)
            }
            writer.byte(ASCII.closeBrace)
        }
    }

    /// Returns whether a name precedes another one in byte order.
    ///
    /// Swift 6.3 does not order some different strings: of `e` with U+0301, and U+00E9 followed by `I`, neither is less
    /// than the other. Swift's `<` would make the order of members unstable.
    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value's JSON text.
    public var description: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
