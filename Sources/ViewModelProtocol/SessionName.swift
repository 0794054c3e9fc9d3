/// The name of a session: `[A-Za-z0-9][A-Za-z0-9._-]{0,63}` (protocol, section 4).
public struct SessionName: WireName {
    /// The form of a session name, in words.
    public static let rule = "1 to 64 characters A-Z a-z 0-9 . _ -, the first a letter or digit"

    /// The name on the wire.
    public let text: String

    /// Creates a name; returns nil if the text breaks the rule.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard let first = bytes.first, bytes.count <= 64, NameByte.isLetter(first) || NameByte.isDigit(first),
            bytes.allSatisfy({
                NameByte.isLetter($0) || NameByte.isDigit($0) || NameByte.isMark($0) || $0 == UInt8(ascii: ".")
            })
        else { return nil }
        self.text = text
    }
}
