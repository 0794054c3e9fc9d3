import JSONRPC

/// Any JSON value, kept as its original text.
///
/// Use it for values whose schema only the client knows. Coders of this package pass it through unchanged, including
/// the digits of numbers. Other coders refuse it.
public struct JSON: Schemable, Equatable, Sendable {
    /// The value's JSON text.
    public let text: String

    /// The value `null`.
    public static let null = JSON(unchecked: "null")
    /// The value `{}`.
    public static let emptyObject = JSON(unchecked: "{}")

    init(unchecked text: String) {
        self.text = text
    }

    /// Whether the value is an object.
    public var isObject: Bool { text.utf8.first == UInt8(ascii: "{") }

    /// Any JSON value.
    public static var schema: Schema { .any }

    /// Returns whether two values are equal, regardless of their spelling.
    public static func == (left: JSON, right: JSON) -> Bool {
        var (left, right) = (left.text, right.text)
        return left.withUTF8 { left in right.withUTF8 { JSONText.areEqual(Bytes(left), Bytes($0)) } }
    }

    /// Keeps the text from the decoder unchanged.
    ///
    /// Throws if the decoder does not offer verbatim JSON text.
    public init(from decoder: any Decoder) throws {
        guard let text = VerbatimText.read(from: decoder) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "a coder that offers verbatim JSON text")
            )
        }
        self.text = text
    }

    /// Passes the text to the encoder unchanged.
    ///
    /// Throws if the encoder does not accept verbatim JSON text.
    public func encode(to encoder: any Encoder) throws {
        guard VerbatimText.write(text, to: encoder) else {
            throw EncodingError.invalidValue(
                self,
                .init(codingPath: encoder.codingPath, debugDescription: "a coder that takes verbatim JSON text")
            )
        }
    }
}

extension JSON {
    /// Returns an integer.
    public static func integer(_ number: Int) -> JSON {
        encoding(number)
    }

    /// Returns a string.
    public static func string(_ text: String) -> JSON {
        encoding(text)
    }

    /// Returns a value in its coding, or null if it cannot be encoded.
    public static func encoding(_ value: some Encodable) -> JSON {
        var writer = JSONWriter()
        guard (try? writer.encode(value)) != nil else { return .null }
        return JSON(unchecked: String(decoding: writer.bytes, as: UTF8.self))
    }

    /// Returns an object of these members, in this order.
    ///
    /// Names must be unique.
    public static func object(_ members: KeyValuePairs<String, JSON>) -> JSON {
        let texts = members.map { name, value in "\(string(name).text):\(value.text)" }
        return JSON(unchecked: "{\(texts.joined(separator: ","))}")
    }
}

extension JSON: ExpressibleByStringLiteral {
    /// Creates a string.
    public init(stringLiteral text: String) {
        self = .string(text)
    }
}
