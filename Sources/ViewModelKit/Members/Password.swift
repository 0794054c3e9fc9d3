/// A text that must be repeated to nobody: what is read where a password, a code or a key is expected.
///
/// On the wire it is a string of the format `password`. Where something else than expected is sent in a member's params that
/// hold one, the error does not say what was found. Printing it prints nothing of it.
public struct Password: Codable, Hashable, Sendable, SchemaProviding, CustomStringConvertible, CustomReflectable {
    /// The text itself.
    public let revealed: String

    /// Takes a text.
    public init(_ text: String) {
        revealed = text
    }

    /// Reads a string.
    public init(from decoder: any Decoder) throws {
        revealed = try decoder.singleValueContainer().decode(String.self)
    }

    /// Writes the string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(revealed)
    }

    /// A string of the format `password`.
    public static var schema: Schema { .string(format: Schema.passwordFormat) }

    /// Says that there is one.
    public var description: String { "<password>" }

    /// Nothing of it.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// For tests: a password in a source file is none.
extension Password: ExpressibleByStringLiteral {
    /// Takes a text.
    public init(stringLiteral text: String) {
        self.init(text)
    }
}
