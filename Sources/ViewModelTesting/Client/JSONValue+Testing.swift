extension JSONValue {
    /// Encodes a value as it is sent on the wire, or throws ``HarnessError``.
    public init(encoding value: some Encodable) throws(HarnessError) {
        var writer = JSONWriter()
        do {
            try writer.encode(value)
        } catch {
            throw HarnessError("\(value) cannot be encoded: \(error)")
        }
        guard let json = JSONValue(text: writer.bytes) else { throw HarnessError("\(value) was encoded as no JSON") }
        self = json
    }

    /// Decodes the value as a type, or throws ``HarnessError`` with the place that does not fit.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws(HarnessError) -> Value {
        do {
            return try text.withUnsafeBytes { try JSONValueDecoder.decode(type, from: $0) }
        } catch let error as ValueMismatch {
            let place = error.path.isEmpty ? "" : " at \(error.path)"
            throw HarnessError("no \(type)\(place): \(error.expected) was expected, \(error.found) found, in \(self)")
        } catch {
            throw HarnessError("no \(type): \(error)")
        }
    }
}

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
        self = .object(JSONObject(elements))
    }
}
