extension JSONValue {
    /// Creates a number from an integer.
    public static func integer(_ value: Int) -> JSONValue {
        .number("\(value)")
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
    public var objectValue: [String: JSONValue]? {
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
