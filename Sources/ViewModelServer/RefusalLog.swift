import CoreMetrics
import JSONRPC
import Logging
import ViewModelHost
import ViewModelProtocol

/// The metric and the log of refused connections.
///
/// Isolation: confined to the accept thread.
struct RefusalLog {
    /// The reason for a refusal, as the label of the metric.
    private enum Reason: String, CaseIterable {
        case access
        case connections
        case connectionsPerUser

        init?(_ error: ProtocolError) {
            if error.code == .accessDenied {
                self = .access
            } else if let limit = error.data?["limit"]?.stringValue {
                self.init(rawValue: String(limit.dropFirst("limits.".count)))
            } else {
                return nil
            }
        }
    }

    private let counters = Dictionary(
        uniqueKeysWithValues: Reason.allCases.map { reason in
            let label = "viewmodeld_connections_refused_total"
            return (reason, Counter(label: label, dimensions: [("reason", reason.rawValue)]))
        }
    )
    private let logger: Logger
    private let begun = ContinuousClock.now
    private var pace = LogRateLimiter<UInt32>()

    init(logger: Logger) {
        self.logger = logger
    }

    /// Counts a refusal and logs it.
    ///
    /// The log has at most one line per user in five seconds.
    mutating func record(_ error: ProtocolError, of peer: PeerCredentials) {
        Reason(error).flatMap { counters[$0] }?.increment()
        guard let heldBack = pace.admit(peer.uid, at: ContinuousClock.now - begun) else { return }
        var facts: Logger.Metadata = ["uid": "\(peer.uid)", "pid": "\(peer.pid)", "code": "\(error.code.rawValue)"]
        for name in ["reason", "limit"] { facts[name] = error.data?[name]?.stringValue.map { "\($0)" } }
        if heldBack > 0 { facts["repeated"] = "\(heldBack)" }
        logger.notice("Refused a connection", metadata: facts)
    }
}
