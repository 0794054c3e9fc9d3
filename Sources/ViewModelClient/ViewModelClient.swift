import NIOCore
import NIOPosix
// A caller of a method needs the method's types.
@_exported public import ViewModelProtocol

/// A client of the daemon: one connection, its requests and its bindings.
///
/// ``withViewModelClient(socket:options:_:)`` creates a client and ends it. The actor runs on the event loop of its
/// connection. It handles input without a hop and in the order of arrival.
///
/// After a lost connection the client reconnects with growing delays unless ``ClientOptions/reconnects`` is false. It
/// attaches to its session again and resumes each binding from the step of its picture. Requests with an outstanding
/// reply fail with ``ClientError/Code-swift.struct/connectionLost``, because the client cannot know whether the daemon
/// has done the work. Requests made without a connection wait.
public actor ViewModelClient {
    /// The receiver of the reply to a request.
    enum Waiter {
        case call(CheckedContinuation<[UInt8], any Error>)
        /// The request binds, or resumes a binding after a reconnection.
        case binding(Int)
        /// The request attaches to the session again after a reconnection.
        case attach
        /// The reply and its error are ignored.
        case ignored
    }

    /// The state of the connection.
    enum ConnectionState {
        case down
        case up(any Channel)
        case ended(ClientError)
    }

    /// The path of the daemon's socket.
    public nonisolated let socket: String

    nonisolated let eventLoop: any EventLoop
    nonisolated let options: ClientOptions
    nonisolated let wakes: AsyncStream<Void>
    private nonisolated let wake: AsyncStream<Void>.Continuation

    var state = ConnectionState.down
    /// The number of the connection.
    ///
    /// The client ignores late events of older connections.
    var generation = 0
    var isSuspended = false
    /// The delays between the attempts to connect since the daemon's last useful line; nil before the first attempt.
    var backoff: Backoff?
    /// The error without an id that the daemon sent before it closed the connection.
    var unattributedError: ProtocolError?
    var pending = PendingRequests<Waiter>()
    /// The calls that wait for a connection.
    var queue: [Int: CheckedContinuation<Void, any Error>] = [:]
    /// The session to attach to after a reconnection.
    var sessionParams: SessionAttach.Params?
    var bindings: [Int: ClientBinding] = [:]
    /// The token of the binding that receives the frames of an instance, by the instance's id.
    var tokens: [String: Int] = [:]
    private var lastToken = 0

    /// The executor of the connection's event loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        eventLoop.executor.asUnownedSerialExecutor()
    }

    init(socket: String, options: ClientOptions, eventLoop: any EventLoop) {
        self.socket = socket
        self.options = options
        self.eventLoop = eventLoop
        (self.wakes, self.wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Wakes the task in ``reconnectUntilCancelled()``, which reconnects if necessary.
    func updateState() {
        wake.yield()
    }

    /// Schedules work on the event loop.
    nonisolated func later(_ work: @escaping @Sendable (isolated ViewModelClient) -> Void) {
        eventLoop.execute { self.assumeIsolated(work) }
    }

    func nextToken() -> Int {
        lastToken += 1
        return lastToken
    }
}

/// Connects to the daemon, runs a closure, and closes the connection, also after an error.
///
/// - Parameters:
///   - socket: The path of the daemon's socket; see ``SocketPath``.
///   - options: The client's options. The client attaches to their session before the closure runs.
///   - body: The work. The client ends with it.
/// - Returns: The value that `body` returns.
/// - Throws: ``ClientError`` if the connection fails or the daemon refuses the session, and any error of `body`.
public func withViewModelClient<Result>(
    socket: String,
    options: ClientOptions = ClientOptions(),
    _ body: (ViewModelClient) async throws -> Result
) async throws -> Result {
    let client = ViewModelClient(
        socket: socket,
        options: options,
        eventLoop: MultiThreadedEventLoopGroup.singleton.next()
    )
    return try await withThrowingTaskGroup(of: Void.self) { group in
        do {
            try await client.start()
            group.addTask { await client.reconnectUntilCancelled() }
            let result = try await body(client)
            await client.close()
            group.cancelAll()
            return result
        } catch {
            await client.close()
            group.cancelAll()
            throw error
        }
    }
}
