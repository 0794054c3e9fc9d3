extension JSONValue: Hashable {
    /// Returns whether two values are equal in JSON: numbers by value, strings by their code points.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right || decimal(left) == decimal(right)
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
        case .number(let text): hasher.combine(Self.decimal(text))
        case .string(let value): hasher.combine(ExactString(value))
        case .array(let elements): hasher.combine(elements)
        case .object(let members): hasher.combine(members)
        }
    }

    private static func decimal(_ text: String) -> DecimalText {
        Array(text.utf8).withUnsafeBytes { DecimalText($0) }
    }
}
