/// Why what systemd passed cannot be listened at.
public struct InheritedSocketError: Error, Sendable, CustomStringConvertible {
    /// Names the descriptor, and says what it is not.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
