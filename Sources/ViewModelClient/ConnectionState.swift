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

/// The end of a session (protocol, section 4).
///
/// After `closed` and `failed` the client attaches to a new session of that name, binds again and repeats the calls that
/// the daemon has refused since. After `stopping` it does so with the next daemon. After `moved` it ends. An anonymous session is followed by another one.
public struct SessionEnd: Codable, Equatable, Sendable {
    /// The session's name; nil for an anonymous session.
    public var session: String?
    /// The reason on the wire: `closed`, `failed`, `stopping` or `moved`.
    ///
    /// The set is open.
    public var reason: String
    /// The incident's id in the daemon's log, for the reason `failed`.
    public var incident: String?
    /// The machine to which the session has moved, for the reason `moved`.
    public var node: String?

    /// Whether the daemon stops, and closes the connection itself.
    var isStop: Bool { reason == SessionClosed.Reason.stopping.rawValue }
}
