extension JSONValue {
    /// Makes a number of an integer.
    public static func integer(_ value: Int) -> JSONValue {
        .number("\(value)")
    }

    /// Whether the value is null.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The Boolean; nil for any other kind.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number as an integer; nil for any other kind, and where it is none or too large.
    public var intValue: Int? {
        guard case .number(let text) = self else { return nil }
        return Array(text.utf8).withUnsafeBytes { try? JSONValueDecoder.decode(Int.self, from: $0) }
    }

    /// The number as a floating-point one; nil for any other kind, and where it is out of range.
    public var doubleValue: Double? {
        guard case .number(let text) = self else { return nil }
        return Array(text.utf8).withUnsafeBytes { try? JSONValueDecoder.decode(Double.self, from: $0) }
    }

    /// The string; nil for any other kind.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements; nil for any other kind.
    public var arrayValue: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members; nil for any other kind.
    public var objectValue: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// A member by its name; nil where there is none.
    public subscript(_ name: String) -> JSONValue? {
        objectValue?[name]
    }

    /// An element by its index; nil where there is none.
    public subscript(_ index: Int) -> JSONValue? {
        guard let elements = arrayValue, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}
