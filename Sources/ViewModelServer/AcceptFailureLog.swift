import Logging

/// The log of an outage in which the process cannot accept connections because it has no free descriptor.
///
/// It writes two lines per outage, however long the outage lasts. Isolation: confined to the accept thread.
struct AcceptFailureLog {
    /// One success within a second does not end the outage, because descriptors are freed and used one by one.
    private static let calm = Duration.seconds(1)

    private var failures = 0
    private var last = ContinuousClock.now

    /// Records a failed attempt.
    ///
    /// Logs the first one of an outage.
    mutating func record(_ error: String, _ logger: Logger) {
        if failures == 0 { logger.error("No connection can be accepted", metadata: ["error": "\(error)"]) }
        failures += 1
        last = .now
    }

    /// Records a successful attempt.
    ///
    /// Logs the end of the outage if the last failure is at least a second old.
    mutating func noteSuccess(_ logger: Logger) {
        guard failures > 0, ContinuousClock.now - last >= Self.calm else { return }
        logger.notice("Connections are accepted again", metadata: ["failures": "\(failures)"])
        failures = 0
    }
}
