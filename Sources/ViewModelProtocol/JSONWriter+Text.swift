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
