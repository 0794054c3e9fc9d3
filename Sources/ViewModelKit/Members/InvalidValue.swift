/// A refusal of a value that was sent to an input or an action; its sender gets -32602 (protocol, section 6).
public struct InvalidValue: Error, Sendable, Equatable {
    /// Where in the value the fault lies, as a JSON Pointer: `""` for the value itself, `"/id"` for a member.
    public var path: String
    /// What would have been right, in words.
    public var expected: String
    /// What was found.
    public var found: String
    /// Values close to the one found, the closest first.
    public var suggestions: [String]

    /// Makes a refusal.
    public init(path: String = "", expected: String, found: String, suggestions: [String] = []) {
        self.path = path
        self.expected = expected
        self.found = found
        self.suggestions = suggestions
    }
}
