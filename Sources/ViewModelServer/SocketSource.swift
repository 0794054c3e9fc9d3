/// Where the sockets come from that a server accepts connections at.
package enum SocketSource: Sendable {
    /// One of its own, which it makes, holds alone and removes.
    case own(SocketPlace)
    /// The descriptors of listening sockets that somebody else made; the server closes them at its end.
    case inherited([Int32])
}
