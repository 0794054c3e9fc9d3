public import ViewModelProtocol

/// How a client behaves.
public struct ClientOptions: Sendable {
    /// Which way a line crosses the socket.
    public enum Direction: Sendable {
        /// From the client to the daemon.
        case sent
        /// From the daemon to the client.
        case received
    }

    /// Whether a lost connection is made again, and bindings are resumed; on by default.
    public var reconnects = true
    /// How long to wait between the tries to get a lost connection back.
    public var backoff = ReconnectBackoff()
    /// How long a single try to connect may take.
    public var connectTimeout = Duration.seconds(5)
    /// How long a call may wait for its reply; as long as it takes when nil.
    public var timeout: Duration?
    /// The session to attach to first, and again after each reconnection; an anonymous one where there is none.
    public var session: SessionAttach.Params?
    /// How many updates of one binding are kept one by one for a reader that lags; more are merged into the last.
    public var bufferedUpdates = 256
    /// Sees each line as it crosses the socket, without its end; called on the client's event loop.
    public var trace: (@Sendable (Direction, [UInt8]) -> Void)?

    /// Creates the usual options.
    public init() {}
}
