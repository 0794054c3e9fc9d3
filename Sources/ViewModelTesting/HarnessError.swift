/// A fault in a test's use of its harness, or in a message of the session.
public struct HarnessError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The fault as a sentence.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
