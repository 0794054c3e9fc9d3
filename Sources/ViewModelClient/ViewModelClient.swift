import NIOCore
import ViewModelProtocol

/// A client of the daemon: one connection, its requests and its bindings.
///
/// Made by ``withViewModelClient(socket:options:_:)``, which also ends it. The actor runs on the event loop of its
/// connection, so that what comes from the socket is handled without a hop and in the order in which it came.
///
/// A lost connection is made again with growing waits unless ``ClientOptions/reconnects`` is off: the client attaches
/// to its session again and resumes each binding where its picture stands. Requests whose reply was outstanding fail
/// with ``ClientError/Code-swift.struct/connectionLost``, because nobody can tell whether they were done; requests made
/// meanwhile wait.
public actor ViewModelClient {
    /// Who waits for the reply to a request.
    enum Waiter {
        case call(CheckedContinuation<[UInt8], any Error>)
        /// A binding that was asked for, or asked for again after a reconnection.
        case binding(Int)
        /// The session's second attach, after a reconnection.
        case attach
        /// Nobody; an error means nothing to anybody.
        case nobody
    }

    /// How the client stands with the daemon.
    enum Link {
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

    var link = Link.down
    /// Counts the connections, so that a late word from an old one is not taken for one from the new.
    var generation = 0
    var isSuspended = false
    /// How many connections in a row were tried, or lost before the daemon said anything useful.
    var failures = 0
    /// What the daemon said without an id before it closed the connection.
    var complaint: ProtocolError?
    var pending = PendingRequests<Waiter>()
    /// Those who want to send something while there is no connection.
    var queue: [Int: CheckedContinuation<Void, any Error>] = [:]
    /// The session to attach to after a reconnection.
    var attachment: SessionAttach.Params?
    var bindings: [Int: ClientBinding] = [:]
    /// The token of the binding that an instance's frames belong to.
    var tokens: [String: Int] = [:]
    private var lastToken = 0

    /// The event loop of the connection.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        eventLoop.executor.asUnownedSerialExecutor()
    }

    init(socket: String, options: ClientOptions, eventLoop: any EventLoop) {
        self.socket = socket
        self.options = options
        self.eventLoop = eventLoop
        (self.wakes, self.wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Lets the loop that keeps the connection look again.
    func look() {
        wake.yield()
    }

    /// Does something on the event loop after what is going on there now.
    nonisolated func later(_ work: @escaping @Sendable (isolated ViewModelClient) -> Void) {
        eventLoop.execute { self.assumeIsolated(work) }
    }

    func nextToken() -> Int {
        lastToken += 1
        return lastToken
    }
}
