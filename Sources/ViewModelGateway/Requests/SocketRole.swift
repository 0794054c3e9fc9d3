/// What clients may do on a listening socket.
enum SocketRole: Equatable, Sendable {
    /// Only the user of the gateway can connect. The socket issues one-time tokens.
    case control
    /// A TCP socket, with TLS or without.
    case network(isSecure: Bool)
    /// A Unix-domain socket for a reverse proxy, which talks to browsers with TLS, or perhaps without.
    case proxy(isSecure: Bool)
}
