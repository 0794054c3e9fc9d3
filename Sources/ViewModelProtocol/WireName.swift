/// A string that the protocol has a rule for: a value of this type obeys it.
///
/// Reading one that breaks the rule throws a `DecodingError` whose description is ``rule``.
public protocol WireName: Codable, Hashable, Sendable, CustomStringConvertible {
    /// What the string must look like, in words fit for an error's `expected`.
    static var rule: String { get }

    /// The name as it stands on the wire.
    var text: String { get }

    /// Takes the text, or is nil where it breaks the rule.
    init?(_ text: String)
}

extension WireName {
    /// The name itself.
    public var description: String { text }

    /// Reads a string and holds it against the rule.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let name = Self(text) else {
            throw ValueMismatch(expected: Self.rule, found: ValueMismatch.describe(.string(text)))
        }
        self = name
    }

    /// Writes the name as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// The character classes that names are made of, by their bytes.
enum NameByte {
    static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    static func isMark(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
}
