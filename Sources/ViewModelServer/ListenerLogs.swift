import CoreMetrics
import JSONRPC
import Logging
import ViewModelHost
import ViewModelProtocol

/// The metric and the log of refused connections.
///
/// Isolation: confined to the accept thread.
struct RefusalLog {
    /// The counters by the reasons for a refusal: the access, or the name of a limit.
    private let counters = Dictionary(
        uniqueKeysWithValues: ["access", "connections", "connectionsPerUser"].map { reason in
            (reason, Counter(label: "viewmodeld_connections_refused_total", dimensions: [("reason", reason)]))
        }
    )
    private let logger: Logger
    private let begun = ContinuousClock.now
    private var logLimiter = LogRateLimiter<UInt32>()

    init(logger: Logger) {
        self.logger = logger
    }

    /// Counts a refusal and logs it.
    ///
    /// The log has at most one line per user in five seconds.
    mutating func record(
        _ error: ProtocolError,
        of peer: PeerCredentials,
        at now: ContinuousClock.Instant = .now
    ) {
        let limit = error.data?["limit"]?.stringValue ?? ""
        counters[error.code == .accessDenied ? "access" : String(limit.dropFirst("limits.".count))]?.increment()
        guard let suppressed = logLimiter.admit(peer.uid, at: now - begun) else { return }
        var metadata: Logger.Metadata = ["uid": "\(peer.uid)", "pid": "\(peer.pid)", "code": "\(error.code.rawValue)"]
        for name in ["reason", "limit"] { metadata[name] = error.data?[name]?.stringValue.map { "\($0)" } }
        if suppressed > 0 { metadata["repeated"] = "\(suppressed)" }
        logger.notice("Refused a connection", metadata: metadata)
    }
}

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
    mutating func record(_ error: String, _ logger: Logger, at now: ContinuousClock.Instant = .now) {
        if failures == 0 { logger.error("No connection can be accepted", metadata: ["error": "\(error)"]) }
        failures += 1
        last = now
    }

    /// Records a successful attempt.
    ///
    /// Logs the end of the outage if the last failure is at least a second old.
    mutating func recordSuccess(_ logger: Logger, at now: ContinuousClock.Instant = .now) {
        guard failures > 0, now - last >= Self.calm else { return }
        logger.notice("Connections are accepted again", metadata: ["failures": "\(failures)"])
        failures = 0
    }
}
