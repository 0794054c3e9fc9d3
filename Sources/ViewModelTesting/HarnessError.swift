/// What went wrong in a test's use of its harness, or in what came back from the session, in a sentence.
public struct HarnessError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The sentence.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
