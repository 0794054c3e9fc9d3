/// A text that never prints itself: not in logs, not interpolated, not dumped.
///
/// It has no coding either; who needs the text says so with `revealed`.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text itself: for a request's header or a form, never for an output, a log or an error.
    public let revealed: String

    /// Hides a text.
    public init(_ revealed: String) {
        self.revealed = revealed
    }

    /// Says that there is one, whatever it is.
    public var description: String { "<secret>" }
    /// Says that there is one, whatever it is.
    public var debugDescription: String { description }
    /// Shows nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
