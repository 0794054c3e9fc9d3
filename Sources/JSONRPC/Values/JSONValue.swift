/// A JSON value of any shape, for those who keep pictures without knowing their types.
///
/// Numbers keep their text and are equal when their values are. Of members with the same name the last one wins;
/// members are told apart as Swift's strings are, by canonical equivalence.
public indirect enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number's JSON text.
    case number(String)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object([String: JSONValue])
}

extension JSONValue {
    /// Appends the value's JSON text, members sorted by the bytes of their names.
    public func write(to writer: inout JSONWriter) {
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

    /// Orders names by their bytes.
    ///
    /// Swift 6.3 does not order some strings that differ: of `e` with U+0301 and U+00E9 with `I` behind it, neither is
    /// below the other. The order of members would then change from one time to the next.
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
