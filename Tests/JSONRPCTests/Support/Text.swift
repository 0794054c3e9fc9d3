import JSONRPC
import Testing

/// Lends the UTF-8 of a text.
func withText<T>(_ text: String, _ body: (Bytes) throws -> T) rethrows -> T {
    try Array(text.utf8).withUnsafeBytes { try body($0) }
}

/// Reads a message that is no batch.
func envelope(_ text: String) throws -> Envelope {
    try withText(text) { try Envelope(parsing: $0) }
}

/// Reads a batch.
func batch(_ text: String, maximum: Int = 100) throws -> (entries: [Envelope], count: Int) {
    try withText(text) { try Envelope.batch(in: $0, maximum: maximum) }
}

/// Reads a message or a batch.
func verify(_ bytes: Bytes) throws(JSONSyntaxError) {
    if JSONText.kind(of: bytes) == .array {
        _ = try Envelope.batch(in: bytes, maximum: 100)
    } else {
        _ = try Envelope(parsing: bytes)
    }
}

/// Where parsing fails; nil where it does not.
func syntaxError(_ bytes: [UInt8]) -> Int? {
    do {
        try bytes.withUnsafeBytes { try verify($0) }
        return nil
    } catch {
        return (error as? JSONSyntaxError)?.offset
    }
}

/// As above, of a text.
func syntaxError(_ text: String) -> Int? {
    syntaxError(Array(text.utf8))
}

/// A part of a text by its bytes.
func part(_ text: String, _ range: Range<Int>?) -> String? {
    range.map { String(decoding: Array(text.utf8)[$0], as: UTF8.self) }
}

/// A test's helper found something else than it is for.
struct Unexpected: Error {}

/// Decodes a value.
func decode<T: Decodable>(
    _ type: T.Type,
    _ text: String,
    ignoring: Set<String> = [],
    path: String = ""
) throws -> T {
    try withText(text) { try JSONValueDecoder.decode(type, from: $0, ignoring: ignoring, path: path) }
}

/// The mismatch with which decoding fails; nil where it does not.
func mismatch<T: Decodable>(
    _ type: T.Type,
    _ text: String,
    ignoring: Set<String> = [],
    path: String = ""
) -> ValueMismatch? {
    do {
        _ = try decode(type, text, ignoring: ignoring, path: path)
        return nil
    } catch {
        return error as? ValueMismatch
    }
}

/// Expects that a text does not fit a type, and how the mismatch is told.
func expectMismatch<T: Decodable>(
    _ type: T.Type,
    _ text: String,
    path prefix: String = "",
    at path: String,
    _ expected: String,
    found: String,
    cause: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let wrong = ValueMismatch(path: path, expected: expected, found: found, cause: cause)
    #expect(mismatch(type, text, path: prefix) == wrong, sourceLocation: sourceLocation)
}

/// Encodes a value.
func encode<T: Encodable>(_ value: T) throws -> String {
    var writer = JSONWriter()
    try writer.encode(value)
    return String(decoding: writer.bytes, as: UTF8.self)
}

/// Expects that a value is written as a text, and read from it.
func expectCoding<T: Codable & Equatable>(
    _ value: T,
    _ text: String,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(try encode(value) == text, sourceLocation: sourceLocation)
    #expect(try decode(T.self, text) == value, sourceLocation: sourceLocation)
}
