/// The reason why a socket could not be created or adopted.
public struct SocketError: Error, Sendable, CustomStringConvertible {
    /// The failure, with the path or descriptor and the remedy if there is one.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
