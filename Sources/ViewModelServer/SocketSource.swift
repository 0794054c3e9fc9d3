/// The sockets on which a server accepts connections.
package enum SocketSource: Sendable {
    /// A socket that the server creates, locks and removes.
    case own(SocketPlace)
    /// Descriptors of listening sockets that another process created.
    ///
    /// The server closes them when it ends.
    case inherited([Int32])
}
