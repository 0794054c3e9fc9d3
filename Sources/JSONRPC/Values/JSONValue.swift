/// A JSON value of any kind, for code that keeps pictures without knowing their types.
///
/// A number keeps its text, and two numbers are equal if their values are. An object keeps the order of its members.
/// If an object has a name twice, the last value wins.
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
    case object(JSONObject)
}

extension JSONValue {
    /// Appends the value's JSON text.
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
            for (index, member) in members.enumerated() {
                if index > 0 { writer.byte(ASCII.comma) }
                writer.string(member.key)
                writer.byte(ASCII.colon)
                member.value.write(to: &writer)
            }
            writer.byte(ASCII.closeBrace)
        }
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value's JSON text.
    public var description: String { String(decoding: text, as: UTF8.self) }
}

extension JSONValue {
    /// Creates a number from an integer.
    public static func integer(_ value: Int) -> JSONValue {
        .number("\(value)")
    }

    package var kind: JSONKind {
        switch self {
        case .null: .null
        case .bool: .boolean
        case .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    /// Whether the value is null.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The Boolean, or nil for a value of another kind.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number as an integer, or nil if it has a fraction, is out of range, or the value is of another kind.
    public var intValue: Int? {
        guard case .number(let text) = self else { return nil }
        return Array(text.utf8).withUnsafeBytes { try? JSONValueDecoder.decode(Int.self, from: $0) }
    }

    /// The number as a floating-point number, or nil if it is out of range or the value is of another kind.
    public var doubleValue: Double? {
        guard case .number(let text) = self else { return nil }
        return Array(text.utf8).withUnsafeBytes { try? JSONValueDecoder.decode(Double.self, from: $0) }
    }

    /// The string, or nil for a value of another kind.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements, or nil for a value of another kind.
    public var arrayValue: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members, or nil for a value of another kind.
    public var objectValue: JSONObject? {
        if case .object(let members) = self { members } else { nil }
    }

    /// Returns the member with a name, or nil if the value has no such member.
    public subscript(_ name: String) -> JSONValue? {
        objectValue?[name]
    }

    /// Returns the element at an index, or nil if the value has no such element.
    public subscript(_ index: Int) -> JSONValue? {
        guard let elements = arrayValue, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}

extension JSONValue: Hashable {
    /// Returns whether two values are equal in JSON: numbers by value, strings by their code points.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right || DecimalText(left) == DecimalText(right)
        case (.string(let left), .string(let right)): ExactString(left) == ExactString(right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Hashes the parts that `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .number(let text): hasher.combine(DecimalText(text))
        case .string(let value): hasher.combine(ExactString(value))
        case .array(let elements): hasher.combine(elements)
        case .object(let members): hasher.combine(members)
        }
    }
}
