/// The error for a passed descriptor that is not a listening Unix-domain stream socket.
public struct InheritedSocketError: Error, Sendable, CustomStringConvertible {
    /// A sentence with the descriptor and the failed check.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
