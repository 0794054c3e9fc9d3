import Logging
import Synchronization
import ViewModelStorage

/// Whether the database is available, as the latest transactions on all connections have found it.
///
/// Isolation: used from anywhere.
package final class DatabaseHealth: Sendable {
    private let healthy = Atomic(true)
    /// Whether the database has refused a write since it has accepted one that needs room.
    private let refusing = Atomic(false)
    private let opened = Atomic(0)
    /// Whether the daemon has started with this database.
    let hasStarted = Atomic(false)
    private let outage = Mutex(OutageLog())
    private let overload = Mutex(OutageLog())
    private let logger: Logger

    init(logger: Logger) {
        self.logger = logger
    }

    /// Whether the latest transaction found the database available, and no write is refused.
    package var isHealthy: Bool { healthy.load(ordering: .relaxed) && !refusesWrites }

    /// Whether the database refuses writes, because its disk is full or it only reads.
    var refusesWrites: Bool { refusing.load(ordering: .relaxed) }

    var openedConnections: Int { opened.load(ordering: .relaxed) }

    func recordOpenedConnection() { opened.add(1, ordering: .relaxed) }

    /// Records a transaction that the database has executed.
    ///
    /// After a refused write it proves little: reads, and writes that need no room, succeed on a full disk.
    func recordSuccess() {
        healthy.store(true, ordering: .relaxed)
        _ = overload.withLock { $0.succeeded() }
        guard !refusesWrites, outage.withLock({ $0.succeeded() }) else { return }
        logger.notice("The database is available again")
    }

    func recordAcceptedWrite() { refusing.store(false, ordering: .relaxed) }

    func record(_ failure: StoreError) {
        switch failure.kind {
        case .unavailable where failure.isOverload:
            guard overload.withLock({ $0.failed() }) else { return }
            logger.warning(
                "The database has more to do than it can, so callers are refused",
                metadata: ["error": "\(failure)"]
            )
        case .unavailable where !failure.isContention,
            // A fault of the values, not of the database.
            .failed where !["22", "23"].contains(failure.sqlState?.prefix(2)):
            healthy.store(false, ordering: .relaxed)
            if failure.isRefusedWrite { refusing.store(true, ordering: .relaxed) }
            if failure.kind == .unavailable { warn(failure) }
        default: recordSuccess()
        }
    }

    /// Logs the first failure of an outage.
    func warn(_ failure: StoreError) {
        guard outage.withLock({ $0.failed() }) else { return }
        let text: Logger.Message =
            hasStarted.load(ordering: .relaxed)
            ? "The database is not available, and the daemon tries again by itself" : "The database is not available"
        logger.warning(text, metadata: ["error": "\(failure)"])
    }
}
