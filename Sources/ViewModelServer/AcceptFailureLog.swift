import Logging

/// A time in which connections cannot be accepted, as the process has no descriptor left: two lines of the log, however
/// long it lasts.
///
/// A value of the thread that accepts.
struct AcceptFailureLog {
    /// What succeeds so soon after a failure is no end of it: descriptors come and go one by one.
    private static let calm = Duration.seconds(1)

    private var failures = 0
    private var last = ContinuousClock.now

    /// An attempt has failed.
    mutating func note(_ error: String, _ logger: Logger) {
        if failures == 0 { logger.error("No connection can be accepted", metadata: ["error": "\(error)"]) }
        failures += 1
        last = .now
    }

    /// An attempt has succeeded.
    mutating func noteSuccess(_ logger: Logger) {
        guard failures > 0, ContinuousClock.now - last >= Self.calm else { return }
        logger.notice("Connections are accepted again", metadata: ["failures": "\(failures)"])
        failures = 0
    }
}
