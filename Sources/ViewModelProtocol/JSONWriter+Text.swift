extension JSONWriter {
    /// The JSON text of a value.
    ///
    /// - Throws: `EncodingError` for a number that is not finite, and what the type's `encode(to:)` throws.
    public static func text(of value: some Encodable) throws -> [UInt8] {
        var writer = JSONWriter()
        try writer.encode(value)
        return writer.bytes
    }
}
