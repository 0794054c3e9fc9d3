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
    private let socket: ListeningSocket
    private let host: Host
    private let loops: [EventLoopSessionLoop]
    private let registry: ConnectionRegistry
    private let owner: uid_t
    /// Written to when the listener is to stop.
    private let wake: (read: Int32, write: Int32)

    init(
        socket: ListeningSocket,
        host: Host,
        loops: [EventLoopSessionLoop],
        registry: ConnectionRegistry
    ) throws(SocketError) {
        self.socket = socket
        self.host = host
        self.loops = loops
        self.registry = registry
        owner = geteuid()
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw SocketError("no pipe could be made: \(ListeningSocket.lastError)")
        }
        wake = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    /// Ends ``run()``.
    func stop() {
        var byte: UInt8 = 0
        _ = write(wake.write, &byte, 1)
    }

    /// Accepts until it is stopped; blocks the calling thread.
    func run() {
        var watched = [
            pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0),
        ]
        var refusals = Refusals(logger: host.logger)
        var trouble = AcceptTrouble()
        while true {
            guard poll(&watched, 2, -1) > 0 else { continue }
            if watched[1].revents != 0 { break }
            accept(&refusals, &trouble)
        }
        close(socket.descriptor)
        close(wake.read)
        close(wake.write)
    }

    private func accept(_ refusals: inout Refusals, _ trouble: inout AcceptTrouble) {
        let descriptor = takeNext()
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
        let peer = Peer(
            uid: credentials.uid,
            pid: credentials.pid,
            isAdmin: credentials.uid == owner || credentials.uid == 0
        )
        if let refusal = refusal(of: peer) {
            refusals.note(refusal, of: peer)
            refuse(descriptor, refusal)
            return
        }
        open(descriptor, peer)
    }

    private func takeNext() -> Int32 {
        #if canImport(Glibc)
            Glibc.accept(socket.descriptor, nil, nil)
        #else
            Musl.accept(socket.descriptor, nil, nil)
        #endif
    }

    private func refusal(of peer: Peer) -> ProtocolError? {
        guard peer.uid == owner || peer.uid == 0 else {
            return .accessDenied(reason: "the socket belongs to another user")
        }
        let limits = host.configuration.limits
        guard let exceeded = registry.admit(peer.uid, limits) else { return nil }
        return .limitExceeded(limit: exceeded.name, value: exceeded.value)
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
        var ignored = [UInt8](repeating: 0, count: 4096)
        while recv(descriptor, &ignored, ignored.count, Int32(MSG_DONTWAIT)) > 0 {}
        close(descriptor)
    }

    private func open(_ descriptor: Int32, _ peer: Peer) {
        let loop = loops[Int(peer.uid) % loops.count]
        ClientBootstrap(group: loop.eventLoop)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 4096, initial: 4096, maximum: 64 << 10)
            )
            .channelOption(
                .writeBufferWaterMark,
                value: .init(low: Connection.frameBudget / 2, high: Connection.frameBudget)
            )
            .channelInitializer { [host, registry] channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = Connection(loop: loop, host: host, peer: peer)
                    try channel.pipeline.syncOperations.addHandler(connection)
                    registry.add(NIOLoopBound(connection, eventLoop: channel.eventLoop), channel)
                }
            }
            .withConnectedSocket(descriptor)
            .whenComplete { [registry, host] result in
                switch result {
                case .success(let channel):
                    channel.closeFuture.whenComplete { _ in registry.remove(channel, peer.uid) }
                case .failure(let error):
                    registry.release(peer.uid)
                    host.logger.error("A connection could not be set up", metadata: ["error": "\(error)"])
                }
            }
    }
}
