import FoundationEssentials
import Logging
import PostgresSupport
import StorageChecks
import Synchronization
import TestSupport
import ViewModelHost
import ViewModelStorage

@testable import ViewModelPostgres

extension PostgresStorage {
    /// Claims a session unless it lives on another node, which is not asked for it.
    func claimAtOnce(_ key: SessionKey) async throws -> AcquiredSession? {
        switch try await nodes.claim(key, .close, mayCreate: true, hasLeft: false) {
        case .mine(let session): session
        case .elsewhere(let owner): throw SessionMoved(to: owner.node)
        case .retry: throw StoreError(.unavailable, "The session \(key.name)", "changes its node")
        case nil: nil
        }
    }
}

/// Nodes that share a database and a vault key.
final class Farm: Sendable {
    /// A node: its store, and what it reports.
    final class Node: Sendable {
        let storage: PostgresStorage
        let changes: AsyncStream<StorageChange>
        let events: AsyncStream<PlacementEvent>
        private let task: Task<Void, Never>

        init(_ storage: PostgresStorage) {
            self.storage = storage
            let (changes, change) = AsyncStream.makeStream(of: StorageChange.self)
            let (events, event) = AsyncStream.makeStream(of: PlacementEvent.self)
            (self.changes, self.events) = (changes, events)
            storage.nodes.start { event.yield($0) }
            task = Task {
                await storage.run { changed in
                    change.yield(changed)
                    return true
                }
            }
        }

        /// Ends the node in order.
        func stop() async throws {
            task.cancel()
            await task.value
            try await storage.close()
        }

        /// Stops to renew the lease, as a process that is stopped or cut off.
        func freeze() async {
            task.cancel()
            await task.value
        }
    }

    let pool: ConnectionPool
    private let directory: TemporaryDirectory

    init(on server: PostgresServer? = nil) async throws {
        let server = if let server { server } else { try await PostgresServer.shared() }
        pool = try await server.pool { $0.transactionLimit = .seconds(30) }
        directory = try TemporaryDirectory()
    }

    /// Opens the store of a node.
    func open(
        _ name: String = "node",
        in directory: TemporaryDirectory? = nil,
        logger: Logger = Logger(label: "test"),
        _ change: (inout PostgresConfiguration) -> Void = { _ in }
    ) async throws -> PostgresStorage {
        var settings = pool.settings
        settings.applicationName = "test"
        var configuration = PostgresConfiguration(settings, nodeName: name)
        configuration.leaseDuration = .seconds(600)
        configuration.pollInterval = .seconds(3600)
        change(&configuration)
        let path = (directory ?? self.directory).path
        let source = VaultKeySource(
            program: "viewmodeld",
            keyFile: nil,
            credentialsDirectory: nil,
            directory: path,
            logger: logger
        )
        return try await PostgresStorage.open(configuration, key: source, logger: logger)
    }

    /// Returns settings for the tables of this farm, behind a relay.
    func settings(behind relay: Relay, of server: PostgresServer) throws -> ConnectionSettings {
        var settings = try server.settings(port: relay.port)
        settings.schema = pool.settings.schema
        return settings
    }

    /// Starts a node.
    func start(
        _ name: String,
        logger: Logger = Logger(label: "test"),
        _ change: (inout PostgresConfiguration) -> Void = { _ in }
    ) async throws -> Node {
        Node(try await open(name, logger: logger, change))
    }

    /// Ends the lease of a store on the database's clock.
    func expire(_ storage: PostgresStorage) async throws {
        // Right after its start, the server lets each lease hold.
        try await pool.rows(
            """
            SELECT pg_sleep(greatest(0, extract(
                epoch FROM pg_postmaster_start_time() + interval '3 seconds' - clock_timestamp()
            )))
            """
        )
        try await pool.rows(
            "UPDATE node SET lease_until = clock_timestamp() - interval '1 ms' WHERE boot = $1",
            [.text(storage.lease.boot)]
        )
    }
}

extension PostgresStorage {
    /// Closes the connections and gives nothing up, as if the process had died.
    func abandon() async {
        await database.close()
    }
}

/// The data of one store for the checks that every store has to pass.
final class PostgresFixture: StorageFixture {
    private let farm: Farm
    private let uptime = Mutex(Duration.zero)

    init() async throws {
        farm = try await Farm()
    }

    var hasFences: Bool { true }

    func open(_ bounds: StoreBounds) async throws -> any StateStorage {
        try await farm.open {
            $0.bounds = bounds
            $0.clock = { Date(timeIntervalSince1970: 1_800_000_000 + self.uptime.withLock { $0 } / .seconds(1)) }
            $0.uptime = { self.uptime.withLock { $0 } }
        }
    }

    func kill(_ store: any StateStorage) async throws {
        guard let storage = store as? PostgresStorage else { return }
        await storage.abandon()
        try await farm.expire(storage)
    }

    func pass(_ time: Duration) async throws {
        uptime.withLock { $0 += time }
    }
}
