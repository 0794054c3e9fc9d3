/// The id of an instance that is not a child: `[A-Za-z][A-Za-z0-9_-]{0,63}` (protocol, section 3).
public struct InstanceID: WireName {
    /// The form of an instance id, in words.
    public static let rule = "1 to 64 characters A-Z a-z 0-9 _ -, the first a letter"

    /// The first parts of the protocol's own methods, which no instance may have as its id.
    package static let reserved: Set<String> = ["rpc", "session", "viewModel"]

    /// The instances that exist in every session (protocol, section 8).
    package static let builtIn: Set<String> = ["coordinator", "prompter", "daemon"]

    /// The id on the wire.
    public let text: String

    /// Creates an id; returns nil if the text breaks the rule.
    public init?(_ text: String) {
        guard Self.isValid(text) else { return nil }
        self.text = text
    }

    static func isValid(_ text: some StringProtocol) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, bytes.count <= 64, NameByte.isLetter(first) else { return false }
        return bytes.allSatisfy { NameByte.isLetter($0) || NameByte.isDigit($0) || NameByte.isMark($0) }
    }
}
