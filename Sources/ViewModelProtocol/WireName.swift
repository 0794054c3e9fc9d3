/// A string that obeys a rule of the protocol.
///
/// Reading a string that breaks the rule throws a ``ValueMismatch`` whose `expected` is ``rule``.
public protocol WireName: Codable, Hashable, Sendable, CustomStringConvertible {
    /// The form of the string, in the words of an error's `expected`.
    static var rule: String { get }

    /// The name on the wire.
    var text: String { get }

    /// Creates a name; returns nil if the text breaks the rule.
    init?(_ text: String)
}

extension WireName {
    /// The name on the wire.
    public var description: String { text }

    /// Reads a string and checks it against the rule.
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

/// The character classes of names, by their bytes.
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
