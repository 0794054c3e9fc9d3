/// The refusal of a value that was sent to an input or an action.
///
/// The sender gets -32602 (protocol, section 6).
public struct InvalidValue: Error, Sendable, Equatable {
    /// The location of the fault in the value, as a JSON Pointer: `""` for the value itself, `"/id"` for a member.
    public var path: String
    /// A description of a valid value.
    public var expected: String
    /// A description of the value that was found.
    public var found: String
    /// Values close to the one found, the closest first.
    public var suggestions: [String]

    /// Creates a refusal.
    public init(path: String = "", expected: String, found: String, suggestions: [String] = []) {
        self.path = path
        self.expected = expected
        self.found = found
        self.suggestions = suggestions
    }
}
