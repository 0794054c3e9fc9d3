import JSONRPC
import Logging
import NIOCore
import NIOPosix
import Synchronization
import ViewModelHost
import ViewModelProtocol

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Accepts connections on a thread of its own and gives each to the event loop of its user.
///
/// Knowing the user before a loop is chosen keeps all connections of a user, and so those of a session, on one loop:
/// no message of theirs ever changes threads.
final class Listener: Sendable {
    private let sockets: [Int32]
    private let wakeup: AcceptWakeup
    private let host: Host
    /// One for each event loop.
    private let queues: [AcceptQueue]
    private let registry: ConnectionRegistry
    private let owner: uid_t
    private let newUsers: AsyncStream<AcceptedSocket>.Continuation
    /// How often a refused client is read from before its connection is closed.
    private static let readsOfRefused = 16

    /// The users who have been welcomed.
    private let known: Mutex<Set<UInt32>>

    /// - Parameter sockets: descriptors that listen and do not block.
    init(
        sockets: [Int32],
        wakeup: AcceptWakeup,
        host: Host,
        loops: [EventLoopSessionLoop],
        registry: ConnectionRegistry,
        newUsers: AsyncStream<AcceptedSocket>.Continuation
    ) {
        self.sockets = sockets
        self.wakeup = wakeup
        self.host = host
        queues = loops.map { loop in
            AcceptQueue(loop) { Self.open($0, on: loop, host, registry) }
        }
        self.registry = registry
        self.newUsers = newUsers
        owner = geteuid()
        known = Mutex([owner])
    }

    /// Accepts until the wakeup stops it; blocks the calling thread.
    ///
    /// The wakeup goes first: who connects after the stop is not accepted.
    func run() {
        var watched = ([wakeup.descriptor] + sockets).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var refusals = RefusalLog(logger: host.logger)
        var trouble = AcceptFailureLog()
        while true {
            guard poll(&watched, nfds_t(watched.count), -1) > 0 else { continue }
            if watched[0].revents != 0, !wakeup.empty() { return }
            for socket in watched.dropFirst() where socket.revents != 0 {
                accept(from: socket.fd, &refusals, &trouble)
            }
        }
    }

    /// Says that no more users come; the accepting has ended, or has never begun.
    func finish() {
        newUsers.finish()
    }

    private func accept(from socket: Int32, _ refusals: inout RefusalLog, _ trouble: inout AcceptFailureLog) {
        let descriptor = takeNext(from: socket)
        guard descriptor >= 0 else {
            if errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS {
                trouble.note(ListeningSocket.lastError, host.logger)
                // The condition lasts; asking again at once would only burn time.
                usleep(100_000)
            }
            return
        }
        trouble.noteSuccess(host.logger)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        guard let credentials = PeerCredentials(of: descriptor) else {
            close(descriptor)
            return
        }
        do {
            let accepted = AcceptedSocket(
                descriptor: descriptor,
                credentials: credentials,
                scope: try admit(credentials)
            )
            if known.withLock({ $0.contains(credentials.uid) }) {
                open(accepted)
            } else {
                newUsers.yield(accepted)
            }
        } catch {
            refusals.note(error, of: credentials)
            refuse(descriptor, error)
        }
    }

    private func takeNext(from socket: Int32) -> Int32 {
        #if canImport(Glibc)
            Glibc.accept(socket, nil, nil)
        #else
            Musl.accept(socket, nil, nil)
        #endif
    }

    /// Counts a connection in, where its user may have one, and says what it may do.
    private func admit(_ credentials: PeerCredentials) throws(ProtocolError) -> AccessScope {
        let configuration = host.configuration
        guard let scope = configuration.access.scope(of: credentials, owner: owner) else {
            throw .accessDenied(reason: AccessPolicy.refusal)
        }
        if let exceeded = registry.admit(credentials.uid, configuration.limits) {
            throw .limitExceeded(limit: exceeded.name, value: exceeded.value)
        }
        return scope
    }

    /// Sends the one line of a refusal and closes; never waits for the client.
    private func refuse(_ descriptor: Int32, _ error: ProtocolError) {
        var writer = JSONWriter()
        writer.raw("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":")
        ErrorObject(error).write(to: &writer)
        writer.raw("}\n")
        send(descriptor, writer.bytes, writer.bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        shutdown(descriptor, Int32(SHUT_WR))
        // What was sent and stays unread would reset the connection before the line is read.
        // A client that goes on writing must not hold the thread that accepts for all.
        var ignored = [UInt8](repeating: 0, count: 4096)
        for _ in 0..<Self.readsOfRefused {
            guard recv(descriptor, &ignored, ignored.count, Int32(MSG_DONTWAIT)) > 0 else { break }
        }
        close(descriptor)
    }

    /// Serves a client whose user has been welcomed.
    func open(_ accepted: AcceptedSocket) {
        let uid = accepted.credentials.uid
        known.withLock { _ = $0.insert(uid) }
        queues[Int(uid) % queues.count].add(accepted)
    }

    /// Makes the channel of a connection; on its event loop.
    private static func open(
        _ accepted: AcceptedSocket,
        on loop: EventLoopSessionLoop,
        _ host: Host,
        _ registry: ConnectionRegistry
    ) {
        let uid = accepted.credentials.uid
        ClientBootstrap(group: loop.eventLoop)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.allowRemoteHalfClosure, value: true)
            // A channel keeps its last buffer while it idles: most requests are short, and who sends more gets bigger ones.
            .channelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 256, initial: 256, maximum: 64 << 10)
            )
            .channelOption(
                .writeBufferWaterMark,
                value: .init(low: Connection.frameBudget / 2, high: Connection.frameBudget)
            )
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = Connection(loop: loop, host: host, accepted: accepted)
                    try channel.pipeline.syncOperations.addHandler(connection)
                    registry.add(NIOLoopBound(connection, eventLoop: channel.eventLoop), channel)
                }
            }
            .withConnectedSocket(accepted.descriptor)
            .whenComplete { result in
                switch result {
                case .success(let channel):
                    channel.closeFuture.whenComplete { _ in registry.remove(channel, uid) }
                case .failure(let error):
                    registry.release(uid)
                    host.logger.error("A connection could not be set up", metadata: ["error": "\(error)"])
                }
            }
    }
}

/// A connection that was admitted.
struct AcceptedSocket: Sendable {
    let descriptor: Int32
    let credentials: PeerCredentials
    let scope: AccessScope
}
