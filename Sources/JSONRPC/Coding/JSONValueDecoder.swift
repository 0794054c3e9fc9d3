/// Decodes values from JSON text, more strictly than Foundation's and with errors for the sender's eyes.
///
/// - A member of an object that the type never asked for is a mismatch, a nested one, too. A type that reads `allKeys`
///   asks for all that its keys can spell.
/// - `1.0` and `1e2` are integers; a number that its type cannot hold is a mismatch.
/// - Of members with the same name the last one wins.
/// - A `Date` is an RFC 3339 string, `Data` base64, a `Dictionary` with string or integer keys an object.
/// - `decoder.userInfo[CodingUserInfoKey(rawValue: "json.text")]` is the current value's JSON text, a `String`.
public enum JSONValueDecoder {
    /// Decodes verified JSON text.
    ///
    /// The integer, string, Boolean and floating-point types are read without Codable's machinery.
    ///
    /// - Parameters:
    ///   - type: What to decode.
    ///   - text: One JSON value, white space around it allowed.
    ///   - ignored: Names of top-level members that are not looked at, unless by a type that takes its value's text.
    ///   - path: What the mismatch's path begins with.
    /// - Throws: The first ``ValueMismatch``.
    public static func decode<T: Decodable>(
        _ type: T.Type,
        from text: Bytes,
        ignoring ignored: Set<String> = [],
        path: String = ""
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
        let core = DecoderCore(text, ignored: ignored, prefix: path)
        defer { core.isOver = true }
        do {
            return try core.decode(type, at: value, place: .root)
        } catch {
            if let mismatch = core.mismatch(in: error) { throw mismatch }
            throw ValueMismatch(path: path, expected: Expectation.another, found: "a value", cause: "\(error)")
        }
    }

    // Types that need no decoder; nil where something is wrong with the value.

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
