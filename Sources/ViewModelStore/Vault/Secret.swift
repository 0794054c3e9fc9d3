/// A text that is hidden from logs, interpolation and dumps.
///
/// It is not `Codable`. Code that needs the text reads `revealed`.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text itself, for a request's header or a form.
    ///
    /// Never put it into an output, a log or an error.
    public let revealed: String

    /// Creates a secret from a text.
    public init(_ revealed: String) {
        self.revealed = revealed
    }

    /// A constant text that hides the secret.
    public var description: String { "<secret>" }
    /// A constant text that hides the secret.
    public var debugDescription: String { description }
    /// An empty mirror that hides the secret from `dump`.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
