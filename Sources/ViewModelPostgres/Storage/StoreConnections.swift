package import Logging

/// The connections of a node, apart by their work, so that what is urgent waits for nothing else.
package final class StoreConnections: Sendable {
    /// For sessions, values, the outbox and all else.
    package let work: ConnectionPool
    /// For the lease, which must not lapse because the others are busy.
    let lease: ConnectionPool
    /// For the hints and requests between nodes.
    let messages: ConnectionPool
    /// For changed values of sessions.
    ///
    /// The fewer connections, the more of them one statement saves (``MergedSaves``).
    let saves: ConnectionPool
    /// For writes of the vault, which follow each other.
    let vault: ConnectionPool

    package init(_ settings: ConnectionSettings, leaseDuration: Duration, logger: Logger) {
        work = ConnectionPool(settings, logger: logger)
        let (health, notices) = (work.health, work.notices)
        func pool(_ limit: Duration, _ count: Int = 1) -> ConnectionPool {
            var settings = settings
            settings.maximumConnections = count
            settings.statementLimit = min(limit, settings.statementLimit)
            settings.transactionLimit = min(limit, settings.transactionLimit)
            return ConnectionPool(settings, health, notices)
        }
        lease = pool(leaseDuration / 3)
        messages = pool(.seconds(1))
        saves = pool(settings.transactionLimit, 2)
        vault = pool(settings.transactionLimit)
    }

    var health: DatabaseHealth { work.health }

    func close() async {
        for pool in [work, saves, messages, vault, lease] { await pool.close() }
    }
}
