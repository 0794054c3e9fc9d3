/// Lets tests write JSON as Swift literals: `["id": "calculator", "outputs": ["led"]]`.
extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a string.
    public init(stringLiteral value: String) {
        self = .string(value)
    }

    /// Creates an integer.
    public init(integerLiteral value: Int) {
        self = .integer(value)
    }

    /// Creates a number.
    public init(floatLiteral value: Double) {
        self = .number("\(value)")
    }

    /// Creates a Boolean.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    /// Creates `null`.
    public init(nilLiteral: ()) {
        self = .null
    }

    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }

    /// Creates an object.
    ///
    /// Of members with the same name, the last one counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}
