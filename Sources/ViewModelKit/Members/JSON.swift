/// Any JSON value, kept as its original text.
///
/// Use it for values whose schema only the client knows. Coders of this package pass it through unchanged, including
/// the digits of numbers. Other coders refuse it.
public struct JSON: Codable, Equatable, Sendable {
    /// The value's JSON text.
    public let text: String

    /// The `userInfo` key under which a coder offers verbatim JSON text.
    ///
    /// The value is a `String` when decoding and a `(String) -> Void` when encoding.
    static var verbatim: CodingUserInfoKey? { CodingUserInfoKey(rawValue: "json.text") }

    /// The value `null`.
    public static let null = JSON(unchecked: "null")
    /// The value `{}`.
    public static let emptyObject = JSON(unchecked: "{}")

    init(unchecked text: String) {
        self.text = text
    }

    /// Whether the value is an object.
    public var isObject: Bool { text.utf8.first == UInt8(ascii: "{") }

    /// Returns whether two values are equal, regardless of their spelling.
    public static func == (left: JSON, right: JSON) -> Bool {
        JSONComparison.areEqual(left.text, right.text)
    }

    /// Keeps the text from the decoder unchanged.
    ///
    /// Throws if the decoder does not offer verbatim JSON text.
    public init(from decoder: any Decoder) throws {
        guard let key = Self.verbatim, let text = decoder.userInfo[key] as? String else {
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
        guard let key = Self.verbatim, let put = encoder.userInfo[key] as? (String) -> Void else {
            throw EncodingError.invalidValue(
                self,
                .init(codingPath: encoder.codingPath, debugDescription: "a coder that takes verbatim JSON text")
            )
        }
        put(text)
    }
}

extension JSON: SchemaProviding {
    /// Any JSON value.
    public static var schema: Schema { .any }

    /// The value `null`.
    public static var schemaExample: JSON? { .null }
}
