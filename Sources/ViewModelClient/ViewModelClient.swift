import NIOCore
import NIOPosix
import UnixIO
// A caller of a method needs the method's types. A generated client has values of Foundation and imports this module only.
@_exported public import ViewModelProtocol

@_exported public import FoundationEssentials

/// A client of the daemon: one connection, its requests, its bindings and its fields.
///
/// ``withViewModelClient(socket:options:_:)`` creates a client and ends it. The actor runs on the event loop of its
/// connection. It handles input without a hop and in the order of arrival.
///
/// After a lost connection the client reconnects with growing delays unless ``ClientOptions/reconnects`` is false. It
/// attaches to its session again, resumes each binding from the step of its picture, and sends the unanswered values of
/// fields again. A call with an outstanding reply is repeated if it has a retry key (``CallOptions/key``). Without one
/// it fails with ``ClientError/Code-swift.struct/outcomeUnknown``, because the client cannot know whether the daemon has
/// done the work. Calls made without a connection wait.
///
/// The client does the same after `session.closed` with the reason `closed` or `failed`: it attaches to a new session of
/// that name, opens its instances and binds again. With the reason `moved` it ends with
/// ``ClientError/Code-swift.struct/sessionMoved``.
public actor ViewModelClient {
    /// The session to which a call moves the client, and the bindings of the former one.
    typealias Move = (params: SessionAttach.Params, bindings: [Int])

    /// The receiver of the reply to a request.
    enum Waiter {
        /// A call.
        case call((Result<[UInt8], any Error>) -> Void, Move?)
        /// The request binds, or resumes bindings after a reconnection: the bindings, and the params of the request.
        case binding([Int: ClientBinding.Version], ViewModelBind.Params)
        /// The request attaches to the session of the client after it has connected.
        case attach
        /// The request is the input of a field.
        case field(Int)
        /// The request reads the output of a field.
        case fieldOutput(Int)
        /// The reply and its error are ignored.
        case ignored
    }

    /// The path of the daemon's socket.
    public nonisolated let socket: String

    nonisolated let eventLoop: any EventLoop
    nonisolated let options: ClientOptions
    nonisolated let wakes: AsyncStream<Void>
    nonisolated let wake: AsyncStream<Void>.Continuation

    /// The state of the connection.
    public internal(set) var connectionState = ConnectionState.connecting
    /// The latest reply to `session.attach`; nil in an anonymous session.
    public internal(set) var attachment: SessionAttach.Result?

    /// The channel of the connection; nil without one.
    var channel: (any Channel)?
    /// The number of the connection.
    ///
    /// The client ignores late events of older connections.
    var generation = 0
    var isSuspended = false
    /// The time at which the present or the latest connection was opened.
    var connectedAt = ContinuousClock.now
    /// The delays between connections since the last one that was long; nil before the first attempt.
    var backoff: Backoff?
    /// Whether the reply to the client's own `session.attach` is outstanding.
    ///
    /// Calls wait for it.
    var isAttaching = false
    /// The end of the session of the connection.
    ///
    /// Calls wait for the next connection.
    var sessionEnd: SessionEnd?
    /// The number of checks since anything came on the connection.
    var silentTicks = 0
    /// The longest message that the daemon accepts, in bytes, if it has said so.
    var longestMessage: Int?
    /// The error without an id that the daemon sent before it closed the connection.
    var unattributedError: ProtocolError?
    var pending = PendingRequests<Waiter>()
    /// The calls that wait for a connection.
    var queue: [Int: CheckedContinuation<Void, any Error>] = [:]
    /// The session to attach to after a reconnection.
    var sessionParams: SessionAttach.Params?
    /// The params of `viewModel.open` of the instances that this client has opened, by their ids.
    ///
    /// A new session gets them again.
    var openedInstances: [String: [UInt8]] = [:]
    var bindings: [Int: ClientBinding] = [:]
    var fields: [Int: ClientField] = [:]
    /// The ids of the requests of posted calls, by their tokens.
    var posts: [Int: Int] = [:]
    /// Whether the client connects again even if it was never connected.
    var isPatient = false
    /// The receivers of the notices.
    var board: [Int: AsyncStream<ClientNotice>.Continuation] = [:]

    /// The error with which the client has ended.
    var ending: ClientError? { if case .ended(let error) = connectionState { error } else { nil } }

    /// Whether calls wait for the client to attach.
    var isBetweenSessions: Bool { isAttaching || sessionEnd != nil && options.reconnects }

    /// The executor of the connection's event loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        eventLoop.executor.asUnownedSerialExecutor()
    }

    /// Creates a client without a connection, for ``start()``.
    ///
    /// - Parameters:
    ///   - socket: The path of the daemon's socket; see ``SocketPath``.
    ///   - options: The client's options.
    public init(socket: String, options: ClientOptions = ClientOptions()) {
        self.socket = socket
        self.options = options
        eventLoop = clientLoops.next()
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Connects in the background, the first time as after a lost connection.
    ///
    /// The call does not block, and a daemon that is not there is no error: the client tries again until it is there.
    /// ``close()`` ends the client. Call `start()` once.
    public nonisolated func start() {
        later { client in
            (client.sessionParams, client.isPatient) = (client.options.session, true)
            client.updateState()
        }
        Task { await reconnectUntilCancelled() }
    }

    /// Wakes the task in ``reconnectUntilCancelled()``, which reconnects if necessary.
    func updateState() {
        wake.yield()
    }

    nonisolated func later(_ work: @escaping @Sendable (isolated ViewModelClient) -> Void) {
        eventLoop.execute { self.assumeIsolated(work) }
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
    let client = ViewModelClient(socket: socket, options: options)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await client.reconnectUntilCancelled() }
        do {
            try await client.begin()
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

private let clientLoops = {
    let group = MultiThreadedEventLoopGroup.singleton
    // The singleton is created by its first use.
    _ = group.next()
    CloseOnExec.setPolls()
    return group
}()
