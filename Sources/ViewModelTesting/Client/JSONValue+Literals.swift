/// JSON in tests is written as Swift's literals: `["id": "calculator", "outputs": ["led"]]`.
extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes a string.
    public init(stringLiteral value: String) {
        self = .string(value)
    }

    /// Makes an integer.
    public init(integerLiteral value: Int) {
        self = .integer(value)
    }

    /// Makes a number.
    public init(floatLiteral value: Double) {
        self = .number("\(value)")
    }

    /// Makes a Boolean.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    /// Makes `null`.
    public init(nilLiteral: ()) {
        self = .null
    }

    /// Makes an array.
    public init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }

    /// Makes an object; of members with the same name the last one wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}
