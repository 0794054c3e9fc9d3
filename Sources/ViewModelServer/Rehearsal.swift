import CoreMetrics
import Dispatch
import Logging
import NIOCore
import NIOPosix
import ViewModelHost
import ViewModelKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A server that nobody can reach, and a client of it that asks one thing and goes: what Swift and NIO do once in a process
/// for a first client has then been done.
enum Rehearsal {
    /// Serves that client.
    ///
    /// - Throws: what goes wrong for a real server, too, which tells it.
    static func run() async throws {
        let uncounted = NOOPMetricsHandler.instance
        let host = withMetricsFactory(uncounted) {
            Host(
                catalog: catalog,
                configuration: HostConfiguration(),
                version: "",
                logger: Logger(label: "rehearsal") { _ in SwiftLogNoOpLogHandler() },
                storage: { StorageHealth(path: "", bytes: 0, healthy: true) }
            )
        }
        let registry = ConnectionRegistry(counters: host.counters)
        let mailbox = try AcceptMailbox()
        let (server, client) = try connectedSockets()
        defer { close(client) }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let eventLoop = group.next()
        let loop = try await eventLoop.submit {
            withMetricsFactory(uncounted) { EventLoopSessionLoop(eventLoop) { HostConfiguration().limits } }
        }.get()
        let listener = Listener(
            sockets: [],
            mailbox: mailbox,
            host: host,
            loops: [loop],
            registry: registry,
            newUsers: AsyncStream.makeStream(of: Arrival.self).continuation
        )
        // All that the client says is there before it is heard, and that it has no more to say.
        send(client, request.utf8Start, request.utf8CodeUnitCount, Int32(MSG_NOSIGNAL))
        shutdown(client, Int32(SHUT_WR))
        if let credentials = PeerCredentials(of: server) {
            _ = registry.admit(credentials.uid, host.configuration.limits)
            listener.open(Arrival(descriptor: server, credentials: credentials, scope: .admin))
            await registry.waitUntilEmpty()
        }
        // Not on libdispatch's global queue, as by itself: whose first use lets a thread wake up every second for good.
        group.shutdownGracefully(queue: DispatchQueue(label: "viewmodeld.rehearsal")) { _ in }
    }

    private static var catalog: ViewModelCatalog {
        var catalog = ViewModelCatalog()
        catalog.scene("rehearsal")
        return catalog
    }

    private static let request: StaticString = """
        {"jsonrpc":"2.0","id":1,"method":"coordinator.open","params":{"scene":"rehearsal"}}

        """

    private static func connectedSockets() throws(SocketError) -> (server: Int32, client: Int32) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw SocketError("no pair of sockets could be made: \(ListeningSocket.lastError)")
        }
        return (ends[0], ends[1])
    }
}
