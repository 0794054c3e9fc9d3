import FoundationEssentials
import Logging
import Synchronization
import ViewModelStorage

/// What the parts of the store share: the connections, the lease, the bounds and the notices of changes.
///
/// Urgent work has connections of its own, so that it waits for nothing else.
final class SharedDatabase: Sendable {
    /// The connections for sessions, values, the outbox and all else.
    let pool: ConnectionPool
    /// For the hints and requests between nodes.
    let messages: ConnectionPool
    /// For changed values of sessions.
    ///
    /// The fewer connections, the more of them one statement saves (``MergedSaves``).
    let saves: ConnectionPool
    /// For writes of the vault, which follow each other.
    let vault: ConnectionPool
    /// The lease, which must not lapse because the connections are busy, and has one of its own.
    let lease: NodeLease
    private let currentBounds: Mutex<StoreBounds>
    let feed: ChangeFeed
    /// The clock for ages, which all nodes share (``synchronizeClock()``).
    let ages: StoreClock
    /// Returns the wall-clock time; nil for the time of the database.
    private let clock: (@Sendable () -> Date)?

    init(_ configuration: PostgresConfiguration, logger: Logger) {
        let (settings, duration) = (configuration.settings, configuration.leaseDuration)
        let pool = ConnectionPool(settings, logger: logger)
        func another(_ limit: Duration, _ count: Int = 1) -> ConnectionPool {
            var settings = settings
            settings.maximumConnections = count
            settings.statementLimit = min(limit, settings.statementLimit)
            settings.transactionLimit = min(limit, settings.transactionLimit)
            return ConnectionPool(settings, pool.health, pool.notices)
        }
        self.pool = pool
        messages = another(.seconds(1))
        saves = another(settings.transactionLimit, 2)
        vault = another(settings.transactionLimit)
        lease = NodeLease(name: configuration.nodeName, duration: duration, pool: another(duration / 3))
        currentBounds = Mutex(configuration.bounds)
        feed = ChangeFeed(pool, messages, boot: lease.boot, pollInterval: configuration.pollInterval, logger: logger)
        ages = StoreClock(configuration.uptime)
        clock = configuration.clock
    }

    var boot: String { lease.boot }

    func close() async {
        for pool in [pool, saves, messages, vault, lease.pool] { await pool.close() }
    }

    var bounds: StoreBounds {
        get { currentBounds.withLock { $0 } }
        set { currentBounds.withLock { $0 = newValue } }
    }

    var label: String { pool.settings.label }

    /// The time for ``now(_:)``.
    var time: SQLValue {
        clock.map { .integer($0().microseconds) } ?? .null
    }

    /// Returns the expression of the microseconds since 1970, with the number of the parameter that has ``time``.
    static func now(_ parameter: Int) -> String {
        "coalesce($\(parameter)::bigint, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)"
    }

    /// The time by the clock for ages, as a parameter.
    var age: SQLValue { .integer(ages.now) }

    /// Keeps the time of the clock for ages in the database, and sets this node's clock forward to that of the others.
    func synchronizeClock() async throws(StoreError) {
        let rows = try await pool.rows(
            """
            WITH kept AS (UPDATE clock SET time = $1 WHERE time < $1 - \(Self.clockPrecision) RETURNING time)
            SELECT greatest(time, (SELECT max(used_at) FROM session)) AS time FROM clock
            """,
            [age]
        )
        if let row = rows.first { ages.advance(to: try row.integer("time")) }
    }

    /// The microseconds that the clock may lose at a restart of all nodes.
    private static let clockPrecision = 5_000_000

    /// Returns the rows of a query for data of a user, whose later changes on other nodes are reported.
    func rows(_ subject: StorageChange, _ sql: String, _ values: [SQLValue]) async throws(StoreError) -> [SQLRow] {
        feed.reads(subject)
        // The version first: a change between the two statements is reported.
        let version = "SELECT version FROM change WHERE uid = $1 AND topic = $2"
        let results = try await pool.batch(
            [(version, [.integer(subject.uid), .text(subject.topic.rawValue)]), (sql, values)]
        )
        feed.read(try results[0].first?.integer("version") ?? 0, of: subject)
        return results[1]
    }

    /// Executes statements in one transaction, and sends hints about the changes that their rows report.
    ///
    /// A lost connection repeats the transaction. Two runs must have the effect of one. With `isReported` this node reads the
    /// changed data again, as the other nodes do.
    func change<Value>(
        _ topic: StorageChange.Topic,
        isReported: Bool = false,
        _ statements: SQLStatement...,
        value: ([[SQLRow]]) throws -> Value = { _ in }
    ) async throws(StoreError) -> Value {
        let results = try await pool.batch(statements)
        let rows = results.joined().filter { $0.type(of: "change_version") != nil }
        try feed.changed(rows, topic, isReported: isReported)
        return try await withStoreErrors { try value(results) }
    }

    func withStoreErrors<Value>(_ body: () async throws -> Value) async throws(StoreError) -> Value {
        do {
            return try await body()
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.failed, label, "could not be used: \(type(of: error))")
        }
    }
}
