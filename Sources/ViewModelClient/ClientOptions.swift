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
    /// The default is true.
    public var reconnects = true
    /// The delays between attempts to reconnect.
    public var backoff = Backoff(initial: .milliseconds(50), maximum: .seconds(5), jitter: 0.2)
    /// The timeout of a single attempt to connect.
    public var connectTimeout = Duration.seconds(5)
    /// The timeout of a call, or nil for none.
    public var timeout: Duration?
    /// The session to attach to after each connect, or nil for an anonymous session.
    public var session: SessionAttach.Params?
    /// The number of updates that a binding buffers for a slow reader.
    ///
    /// Later updates are merged into the last one.
    public var bufferedUpdates = 256
    /// A closure that receives each line on the socket, without its line end.
    ///
    /// It is called on the client's event loop.
    public var trace: (@Sendable (Direction, [UInt8]) -> Void)?

    /// Creates the default options.
    public init() {}
}
