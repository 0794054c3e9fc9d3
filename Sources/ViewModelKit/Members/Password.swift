/// A secret text, such as a password, a code or a key, which must not be shown.
///
/// On the wire it is a string of the format `password`. If the params of a member contain one and do not decode, the
/// error does not name the value that was found. Its printed form does not contain the text.
public struct Password: Schemable, Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The secret text.
    public let revealed: String

    /// Creates a password from a text.
    public init(_ text: String) {
        revealed = text
    }

    /// Decodes a string.
    public init(from decoder: any Decoder) throws {
        revealed = try decoder.singleValueContainer().decode(String.self)
    }

    /// Encodes the text as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(revealed)
    }

    /// A string of the format `password`.
    public static var schema: Schema { .string(format: Schema.passwordFormat) }

    /// A placeholder without the text.
    public var description: String { "<password>" }

    /// A mirror without children, so that reflection does not show the text.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// For tests only.
///
/// Never embed a real password in source code.
extension Password: ExpressibleByStringLiteral {
    /// Creates a password from a literal.
    public init(stringLiteral text: String) {
        self.init(text)
    }
}
