extension JSONValue {
    /// Parses JSON text; returns nil for invalid text.
    public init?(text: [UInt8]) {
        guard let value = text.withUnsafeBytes({ try? JSONValue(parsing: $0) }) else { return nil }
        self = value
    }

    /// Parses JSON text; returns nil for invalid text.
    public init?(text: String) {
        self.init(text: Array(text.utf8))
    }

    /// The value's JSON text, on one line.
    public var text: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }
}

extension JSONValue {
    /// Returns an array of strings.
    static func strings(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
}

extension JSONWriter {
    /// Returns the JSON text of a value.
    ///
    /// - Parameter value: The value to encode.
    /// - Returns: The text, on one line.
    /// - Throws: The errors of ``JSONWriter/encode(_:)``: `EncodingError` for a number that is not finite or a date
    ///   outside the years 0 to 9999, and any error of the type's `encode(to:)`.
    package static func text(of value: some Encodable) throws -> [UInt8] {
        var writer = JSONWriter()
        try writer.encode(value)
        return writer.bytes
    }
}
