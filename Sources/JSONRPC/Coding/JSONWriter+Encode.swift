extension JSONWriter {
    /// Appends a value's JSON text.
    ///
    /// Integers, strings, Booleans and floating-point numbers are written without Codable's machinery. A nil member is
    /// written as null, not left out. A `Date` is an RFC 3339 string in UTC, `Data` base64, a `Dictionary` with string
    /// or integer keys an object. `encoder.userInfo[CodingUserInfoKey(rawValue: "json.text")]` is a `(String) -> Void`
    /// that writes JSON text as the current value.
    ///
    /// - Throws: `EncodingError` for a number that is not finite, and what the type's `encode(to:)` throws; nothing is
    ///   appended then.
    public mutating func encode<T: Encodable>(_ value: T) throws {
        if plain(value) { return }
        let start = bytes.count
        let core = EncoderCore(self)
        bytes = []
        defer { self = core.writer }
        do {
            try core.encode(value, key: nil, parent: -1, part: 0)
        } catch {
            core.abandon(from: start)
            throw error
        }
    }

    /// Appends a value whose type needs no encoder and that nothing can be wrong with; false, and nothing appended, for
    /// any other.
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
        } else {
            return false
        }
        return true
    }
}
