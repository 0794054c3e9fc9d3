/// Decodes values from JSON text, more strictly than Foundation and with errors that a sender can understand.
///
/// - A member that the type does not decode is a mismatch, in nested objects as well. A type that reads `allKeys`
///   decodes all names that its keys can represent.
/// - `1.0` and `1e2` are integers. A number that its type cannot represent is a mismatch.
/// - If an object has a name twice, the last member wins.
/// - A `Date` is an RFC 3339 string, `Data` a base64 string. A `Decimal` and a `URL` are strings. A `Dictionary` with
///   string or integer keys is an object.
/// - ``VerbatimText`` reads the JSON text of the current value.
package enum JSONValueDecoder {
    /// Decodes verified JSON text.
    ///
    /// An `Int`, `String`, `Bool` or `Double` is read without a Codable container.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - text: One JSON value, with optional white space around it.
    ///   - ignored: The names of top-level members to ignore. The value's ``VerbatimText`` still contains them.
    ///   - path: The beginning of the mismatch's path.
    ///   - isLenient: Whether members that a type does not decode are ignored, in nested objects as well.
    /// - Returns: The decoded value.
    /// - Throws: The first ``ValueMismatch``.
    package static func decode<T: Decodable>(
        _ type: T.Type,
        from text: Bytes,
        ignoring ignored: Set<String> = [],
        path: String = "",
        isLenient: Bool = false
    ) throws(ValueMismatch) -> T {
        let value = JSONText.trimmed(text)
        let plain = text.part(value)
        if type == Int.self {
            if let integer = Self.integer(plain) { return unsafeBitCast(integer, to: type) }
        } else if type == String.self {
            if let string = string(plain) { return unsafeBitCast(string, to: type) }
        } else if type == Bool.self {
            if let bool = bool(plain) { return unsafeBitCast(bool, to: type) }
        }
        let core = DecoderCore(text, ignored: ignored, prefix: path, isLenient: isLenient)
        defer { core.isOver = true }
        do {
            return try core.decode(type, at: value, position: .root)
        } catch {
            if let mismatch = core.mismatch(in: error) { throw mismatch }
            throw ValueMismatch(path: path, expected: Expectation.another, found: "a value", cause: "\(error)")
        }
    }

    // The fast paths return nil for an invalid value. The core then decodes it and produces the error.

    @inline(__always)
    private static func integer(_ text: Bytes) -> Int? {
        let first = text.first ?? 0
        guard first == ASCII.minus || ASCII.isDigit(first),
            case .value(let isNegative, let magnitude) = NumberText.integer(text),
            let magnitude = Int(exactly: magnitude)
        else { return nil }
        return isNegative ? -magnitude : magnitude
    }

    @inline(__always)
    private static func string(_ text: Bytes) -> String? {
        guard text.first == ASCII.quote, text.count >= 2 else { return nil }
        return JSONText.string(text.part(1..<(text.count - 1)))
    }

    @inline(__always)
    private static func bool(_ text: Bytes) -> Bool? {
        let first = text.first
        return first == 0x74 || first == 0x66 ? first == 0x74 : nil
    }
}
