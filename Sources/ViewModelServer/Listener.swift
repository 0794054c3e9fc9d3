import Glibc
import JSONRPC
import Logging
import NIOCore
import NIOPosix
import UnixIO
import ViewModelHost
import ViewModelProtocol

/// A listener that accepts connections on a dedicated thread and passes each one to the event loop of its user.
///
/// The user is prepared before a loop is chosen. All connections and sessions of a user therefore stay on one loop, and
/// their messages never change threads.
final class Listener: Sendable {
    /// The descriptors to accept from, until ``adopt(_:)`` replaces them.
    private let sockets: [Int32]
    private let wakeup: AcceptWakeup
    private let host: Host
    /// One queue for each event loop, in the order of the loops.
    private let queues: [FairQueue<AcceptedSocket>]
    private let registry: ConnectionRegistry
    private let owner: uid_t

    /// Creates a listener of non-blocking sockets.
    init(
        sockets: [Int32],
        wakeup: AcceptWakeup,
        host: Host,
        loops: [EventLoopSessionLoop],
        registry: ConnectionRegistry
    ) {
        self.sockets = sockets
        self.wakeup = wakeup
        self.host = host
        queues = loops.map { loop in
            FairQueue(loop) { Self.open($0, on: loop, host, registry) }
        }
        self.registry = registry
        owner = geteuid()
    }

    /// Accepts connections until the wakeup stops it.
    ///
    /// Blocks the calling thread.
    ///
    /// The wakeup is checked before the sockets, so that no connection is accepted after the stop.
    func run() {
        var polled = ([wakeup.descriptor] + sockets).map(Self.polled)
        var refusals = RefusalLog(logger: host.logger)
        var acceptFailures = AcceptFailureLog()
        while true {
            guard poll(&polled, nfds_t(polled.count), -1) > 0 else { continue }
            if polled[0].revents != 0 { wakeup.drain(&polled) }
            guard !polled.isEmpty else { return }
            for socket in polled.dropFirst() where socket.revents != 0 {
                accept(from: socket.fd, &refusals, &acceptFailures)
            }
        }
    }

    /// Accepts from these sockets from now on, and closes the former ones.
    func adopt(_ descriptors: [Int32]) {
        wakeup.execute { polled in
            // After the stop nothing is polled.
            guard let wakeup = polled.first else { return }
            for former in polled.dropFirst() { close(former.fd) }
            polled = [wakeup] + descriptors.map(Self.polled)
        }
    }

    private static func polled(_ descriptor: Int32) -> pollfd {
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    }

    private func accept(from socket: Int32, _ refusals: inout RefusalLog, _ acceptFailures: inout AcceptFailureLog) {
        let descriptor = acceptConnection(from: socket)
        guard descriptor >= 0 else {
            if errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS {
                acceptFailures.record("\(SystemError.last)", host.logger)
                // The condition lasts, so an immediate retry would only use CPU time.
                usleep(100_000)
            }
            return
        }
        acceptFailures.recordSuccess(host.logger)
        guard let credentials = PeerCredentials(of: descriptor) else {
            close(descriptor)
            return
        }
        do {
            let (grant, isPrepared) = try admit(credentials)
            let accepted = AcceptedSocket(descriptor: descriptor, credentials: credentials, grant: grant)
            // A connection of a prepared user is opened without waiting.
            if isPrepared { open(accepted) } else { registry.open(accepted) }
        } catch {
            refusals.record(error, of: credentials)
            refuseConnection(descriptor, refusalLine(error))
        }
    }

    /// Counts a connection if limits and access rules allow it.
    private func admit(_ credentials: PeerCredentials) throws(ProtocolError) -> (AccessGrant, isPrepared: Bool) {
        let configuration = host.configuration
        let access = configuration.access
        guard let grant = access.grant(of: credentials.uid, groups: credentials.groups, owner: owner) else {
            throw .accessDenied(reason: AccessPolicy.refusal)
        }
        var limits = configuration.limits
        // A front has the connections of all people until they are theirs.
        if grant == .delegate { limits.connectionsPerUser = .max }
        return (grant, try registry.admit(credentials.uid, limits))
    }

    /// Opens a connection on the event loop of its user and marks the user as prepared.
    func open(_ accepted: AcceptedSocket) {
        let uid = accepted.identity.uid
        host.present.prepared(uid)
        queues[Int(uid) % queues.count].add(accepted, of: uid)
    }

    /// Creates the channel of a connection.
    ///
    /// Called on its event loop.
    private static func open(
        _ accepted: AcceptedSocket,
        on loop: EventLoopSessionLoop,
        _ host: Host,
        _ registry: ConnectionRegistry
    ) {
        let uid = accepted.identity.uid
        ClientBootstrap(group: loop.eventLoop)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.allowRemoteHalfClosure, value: true)
            // An idle channel keeps its last buffer. Most requests are short, and the allocator grows the buffer for
            // longer ones.
            .channelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 256, initial: 256, maximum: 64 << 10)
            )
            .channelOption(
                .writeBufferWaterMark,
                value: .init(
                    low: ConnectionStateMachine.frameBudget / 2,
                    high: ConnectionStateMachine.frameBudget
                )
            )
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = Connection(
                        loop: loop,
                        host: host,
                        accepted: accepted,
                        registry: registry
                    )
                    try channel.pipeline.syncOperations.addHandler(connection)
                    registry.add(NIOLoopBound(connection, eventLoop: channel.eventLoop), channel)
                    // NIO also closes a channel whose set-up fails.
                    channel.closeFuture.whenComplete { _ in registry.remove(channel) }
                }
            }
            .withConnectedSocket(accepted.descriptor)
            .whenComplete { result in
                switch result {
                case .success(let channel):
                    channel.closeFuture.whenComplete { _ in registry.release(uid) }
                case .failure(let error):
                    registry.release(uid)
                    host.logger.error("A connection could not be set up", metadata: ["error": "\(error)"])
                }
            }
    }
}

/// A connection that was accepted and admitted, on its way to an event loop.
struct AcceptedSocket: Sendable {
    let descriptor: Int32
    /// The process at the other end.
    let credentials: PeerCredentials
    /// The user of the connection.
    let identity: ClientIdentity
    /// What another channel of this socket has read of the next messages, or nil.
    var received: (framing: MessageFraming, bytes: [UInt8])?
}

extension AcceptedSocket {
    /// A new connection of a Unix user, who may be a front.
    init(descriptor: Int32, credentials: PeerCredentials, grant: AccessGrant) {
        var identity = ClientIdentity(uid: credentials.uid, pid: credentials.pid, scope: grant.scope ?? .observe)
        if grant == .delegate { identity.delegation = .awaited }
        self.init(descriptor: descriptor, credentials: credentials, identity: identity)
    }
}
