/// Any JSON value, kept as it was written.
///
/// For values whose shape only the client knows. It passes through coders of this package unchanged, numbers digit by
/// digit; other coders refuse it.
public struct JSON: Codable, Equatable, Sendable {
    /// The value's JSON text.
    public let text: String

    /// Where a coder offers verbatim JSON text: a `String` when decoding, a `(String) -> Void` when encoding.
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

    /// Whether two values mean the same, however they are written.
    public static func == (left: JSON, right: JSON) -> Bool {
        JSONComparison.areEqual(left.text, right.text)
    }

    /// Takes the value over from the decoder as it stands.
    public init(from decoder: any Decoder) throws {
        guard let key = Self.verbatim, let text = decoder.userInfo[key] as? String else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "a coder that offers verbatim JSON text")
            )
        }
        self.text = text
    }

    /// Hands the value to the encoder as it stands.
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
