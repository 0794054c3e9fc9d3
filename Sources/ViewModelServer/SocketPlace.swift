/// Where a socket is made, and for whom.
package struct SocketPlace: Sendable {
    /// At most 107 bytes.
    package var path: String
    /// The permissions, which the socket gets before anybody can connect.
    package var mode: UInt32
    /// The id of the group that it belongs to; nil for the process's own.
    package var group: UInt32?

    package init(path: String, mode: UInt32 = 0o600, group: UInt32? = nil) {
        self.path = path
        self.mode = mode
        self.group = group
    }
}
