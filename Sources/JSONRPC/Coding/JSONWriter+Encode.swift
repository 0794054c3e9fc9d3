extension JSONWriter {
    /// Appends a value's JSON text.
    ///
    /// - An `Int`, `String`, `Bool` or `Double` is written without a Codable container.
    /// - A nil member is written as null.
    /// - A `Date` is an RFC 3339 string in UTC, `Data` a base64 string. A `Decimal` and a `URL` are strings. A
    ///   `Dictionary` with string or integer keys is an object.
    /// - ``VerbatimText`` writes JSON text as the current value.
    ///
    /// - Parameter value: The value to append.
    /// - Throws: `EncodingError` for a number that is not finite and for a date outside the years 0 to 9999, and any
    ///   error of the type's `encode(to:)`. The text is unchanged after an error.
    package mutating func encode<T: Encodable>(_ value: T) throws {
        if plain(value) { return }
        let start = bytes.count
        let core = EncoderCore(self)
        bytes = []
        defer { self = core.writer }
        do {
            try core.encode(value, key: nil, parent: -1)
        } catch {
            core.writer.bytes.removeSubrange(start...)
            throw error
        }
    }

    /// Appends a value that needs no encoder; for any other value returns false and appends nothing.
    @inline(__always)
    mutating func plain<T>(_ value: T) -> Bool {
        if T.self == String.self {
            string(unsafeBitCast(value, to: String.self))
        } else if T.self == Int.self {
            integer(unsafeBitCast(value, to: Int.self))
        } else if T.self == Bool.self {
            bool(unsafeBitCast(value, to: Bool.self))
        } else if T.self == Double.self, unsafeBitCast(value, to: Double.self).isFinite {
            double(unsafeBitCast(value, to: Double.self))
        } else if T.self == Int8.self {
            integer(unsafeBitCast(value, to: Int8.self))
        } else if T.self == Int16.self {
            integer(unsafeBitCast(value, to: Int16.self))
        } else if T.self == Int32.self {
            integer(unsafeBitCast(value, to: Int32.self))
        } else if T.self == Int64.self {
            integer(unsafeBitCast(value, to: Int64.self))
        } else if T.self == UInt.self {
            integer(unsafeBitCast(value, to: UInt.self))
        } else if T.self == UInt8.self {
            integer(unsafeBitCast(value, to: UInt8.self))
        } else if T.self == UInt16.self {
            integer(unsafeBitCast(value, to: UInt16.self))
        } else if T.self == UInt32.self {
            integer(unsafeBitCast(value, to: UInt32.self))
        } else if T.self == UInt64.self {
            integer(unsafeBitCast(value, to: UInt64.self))
        } else {
            return false
        }
        return true
    }
}

extension JSONWriter {
    /// Returns the JSON text of a value, on one line.
    ///
    /// - Throws: The errors of ``JSONWriter/encode(_:)``.
    package static func text(of value: some Encodable) throws -> [UInt8] {
        var writer = JSONWriter()
        try writer.encode(value)
        return writer.bytes
    }
}
