/// The sockets on which a server accepts connections.
package enum SocketSource: Sendable {
    /// A socket that the server creates, locks and removes.
    case own(SocketOptions)
    /// Descriptors of listening sockets that another process created.
    ///
    /// The server closes them when it ends.
    case inherited([Int32])
}

/// The path, the permissions and the group of a socket that the server creates.
package struct SocketOptions: Sendable {
    /// The path, at most 107 bytes.
    package var path: String
    /// The permissions.
    ///
    /// The socket has them before clients can connect.
    package var mode: UInt32
    /// The id of the socket's group.
    ///
    /// Nil keeps the group of the process.
    package var group: UInt32?

    package init(path: String, mode: UInt32 = 0o600, group: UInt32? = nil) {
        self.path = path
        self.mode = mode
        self.group = group
    }
}

/// The reason why a socket could not be created or adopted.
public struct SocketError: Error, Sendable, CustomStringConvertible {
    /// The failure, with the path or descriptor and the remedy if there is one.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
