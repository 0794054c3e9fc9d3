public import ViewModelProtocol

/// The options of a client.
public struct ClientOptions: Sendable {
    /// The direction of a line on the socket.
    public enum Direction: Sendable {
        /// From the client to the daemon.
        case sent
        /// From the daemon to the client.
        case received
    }

    /// Whether the client reconnects after a lost connection and resumes its bindings.
    ///
    /// It also decides whether the client attaches to a new session after the end of its session. The default is true.
    public var reconnects = true
    /// The delays between attempts to reconnect.
    ///
    /// They grow until a connection lasts longer than the greatest delay.
    public var backoff = Backoff(initial: .milliseconds(50), maximum: .seconds(5), jitter: 0.2)
    /// The timeout of a single attempt to connect.
    public var connectTimeout = Duration.seconds(5)
    /// The time limit of a call that is not an action, or nil for none.
    ///
    /// It includes the time without a connection. The default is 10 seconds. ``CallOptions/timeout`` overrides it.
    ///
    /// It also limits the client's own requests. After it the client regards the connection as broken.
    public var timeout: Duration? = .seconds(10)
    /// The time of silence after which the client asks the daemon for a sign of life, or nil for never.
    ///
    /// The client asks only while it has bindings or waits for a reply. After three times as much silence it regards the
    /// connection as broken. The default is 8 seconds.
    public var silence: Duration? = .seconds(8)
    /// The session to attach to after each connect, or nil for an anonymous session.
    public var session: SessionAttach.Params?
    /// The hash of the contract that the program was generated for, or nil.
    ///
    /// The client compares it with the daemon's at each attach, and reports
    /// ``ClientNotice/contractDiffers(expected:found:)``. The comparison needs a ``session``.
    public var contract: String?
    /// Whether another contract than ``contract`` ends the client.
    ///
    /// The default is false: a small difference often does no harm.
    public var requiresContract = false
    /// A closure that receives each line on the socket, without its line end.
    ///
    /// It is called on the client's event loop.
    public var trace: (@Sendable (Direction, [UInt8]) -> Void)?

    /// Creates the default options.
    public init() {}
}
