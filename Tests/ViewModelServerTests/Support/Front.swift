import Glibc
import Logging
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import ViewModelKit
import ViewModelTesting

@testable import ViewModelHost
@testable import ViewModelServer

/// A server without a listening socket, whose connections have the users that a test gives them.
final class Front: Sendable {
    let people = People()
    let log = LogRecorder(from: .debug)
    private let registry: ConnectionRegistry
    private let listener: Listener
    private let host: Host

    /// Creates the server with a rule for each grant.
    init(
        _ configuration: HostConfiguration,
        _ group: MultiThreadedEventLoopGroup,
        _ longestUnbound: Duration
    ) async throws {
        var configuration = configuration
        configuration.access.rules = AccessGrant.allCases.map {
            AccessRule(principal: .user(Self.uid(of: $0)), scope: $0)
        }
        let limits = configuration.limits
        host = Host(
            catalog: ViewModelCatalog(),
            configuration: configuration,
            version: "1",
            logger: log.logger,
            userNumbers: people,
            storage: { StorageHealth(path: "/", bytes: 0, healthy: true) }
        )
        registry = ConnectionRegistry(counters: host.counters, present: host.present, longestUnbound: longestUnbound)
        var loops: [EventLoopSessionLoop] = []
        for eventLoop in group.makeIterator() {
            loops.append(try await eventLoop.submit { EventLoopSessionLoop(eventLoop) { limits } }.get())
        }
        listener = Listener(sockets: [], wakeup: try AcceptWakeup(), host: host, loops: loops, registry: registry)
    }

    private static func uid(of grant: AccessGrant) -> UInt32 {
        // Another number than that of the user who runs the tests.
        50_000 + UInt32(AccessGrant.allCases.firstIndex(of: grant) ?? 0)
    }

    /// Connects a client whose user has a grant.
    func connect(_ grant: AccessGrant = .delegate) -> RawConnection {
        var ends: [Int32] = [0, 0]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        let credentials = PeerCredentials(pid: 1, uid: Self.uid(of: grant), groups: [])
        do {
            _ = try registry.admit(credentials.uid, HostConfiguration.Limits())
        } catch {
            fatalError("\(error)")
        }
        registry.open(AcceptedSocket(descriptor: ends[0], credentials: credentials, grant: grant))
        return RawConnection(descriptor: ends[1])
    }

    /// Opens the connections, until the end.
    func openNewUsers() async {
        for await accepted in registry.newUsers { listener.open(accepted) }
    }

    /// Waits until all connections have ended.
    func finish() async {
        await registry.waitUntilEmpty()
        registry.finish()
    }
}

/// The numbers of people, in memory.
final class People: UserNumbers {
    private struct State {
        var subjects: [[UInt8]] = []
        var delay = Duration.zero
        var isAway = false
    }

    private struct Away: StoreFailure { let isUnavailable = true }

    private let state = Mutex(State())

    /// The numbers that were given.
    var numbers: [UInt32] { state.withLock { state in state.subjects.indices.map { 1 << 31 + UInt32($0) } } }

    /// The time until a number is there.
    var delay: Duration {
        get { state.withLock { $0.delay } }
        set { state.withLock { $0.delay = newValue } }
    }

    /// Whether the store cannot be reached.
    var isAway: Bool {
        get { state.withLock { $0.isAway } }
        set { state.withLock { $0.isAway = newValue } }
    }

    func number(of digest: [UInt8]) async throws -> UInt32 {
        try await Task.sleep(for: delay)
        if isAway { throw Away() }
        return state.withLock { state in
            if !state.subjects.contains(digest) { state.subjects.append(digest) }
            return 1 << 31 + UInt32(state.subjects.firstIndex(of: digest) ?? 0)
        }
    }
}
