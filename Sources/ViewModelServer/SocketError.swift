/// Why a socket could not be created or taken.
public struct SocketError: Error, Sendable, CustomStringConvertible {
    /// What happened and what to do about it.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
