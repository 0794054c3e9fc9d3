public import ViewModelProtocol

/// The state of a client's connection.
public enum ConnectionState: Equatable, Sendable {
    /// The client connects, or attaches to its session.
    case connecting
    /// The client is connected and, if it has a session, attached.
    ///
    /// The value is the reply to `session.attach`; nil for an anonymous session.
    case connected(SessionAttach.Result?)
    /// The connection is lost, or the session has ended, and the client tries to reconnect.
    case waiting(ClientError)
    /// ``ViewModelClient/suspend()`` has closed the connection.
    case suspended
    /// The client has ended and makes no further connection.
    case ended(ClientError)

    /// Whether the client is connected and attached.
    public var isConnected: Bool {
        if case .connected = self { true } else { false }
    }
}

/// An event that a client reports without a request.
public enum ClientNotice: Equatable, Sendable {
    /// The state of the connection has changed.
    case connection(ConnectionState)
    /// The daemon's contract is not the one in ``ClientOptions/contract``.
    ///
    /// The client was generated for another daemon, or for another version of it.
    case contractDiffers(expected: String, found: String)
    /// The session has ended.
    case sessionClosed(SessionEnd)
    /// A bound instance was closed.
    case instanceClosed(id: String)
}
