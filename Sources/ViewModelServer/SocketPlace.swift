/// The path, the permissions and the group of a socket that the server creates.
package struct SocketPlace: Sendable {
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
