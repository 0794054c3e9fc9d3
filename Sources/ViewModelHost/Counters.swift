import CoreMetrics
import FoundationEssentials
import Synchronization
import ViewModelProtocol

/// The metrics of a host.
///
/// All handles are created with the host, so counting an event is one addition without a look-up, label or lock.
/// Clients cannot create labels.
package final class Counters: Sendable {
    /// Living sessions, anonymous ones included.
    package let sessions = CountedGauge("viewmodeld_sessions")
    /// Living ViewModel instances of all sessions.
    package let instances = CountedGauge("viewmodeld_instances")
    /// Open connections.
    package let connections = CountedGauge("viewmodeld_connections")
    /// Calls of inputs.
    let inputs = Counter(label: "viewmodeld_requests_total", dimensions: [("kind", "input")])
    /// Calls of actions.
    let actions = Counter(label: "viewmodeld_requests_total", dimensions: [("kind", "action")])
    /// Calls of the protocol's own methods, in the order of `ProtocolMethods.names`.
    let methods = ProtocolMethods.names.map { name in
        Counter(label: "viewmodeld_requests_total", dimensions: [("kind", "method"), ("method", name)])
    }
    /// Frames that were passed to connections.
    let frames = Counter(label: "viewmodeld_frames_total")
    /// Events that clients have lost, as their frames report it.
    let lostEvents = Counter(label: "viewmodeld_events_lost_total")
    private let errors = ErrorCode.listed.map { code in
        (code: code, counter: Counter(label: "viewmodeld_errors_total", dimensions: [("code", "\(code.rawValue)")]))
    }

    init() {
        Gauge(label: "viewmodeld_start_time_seconds").record(Date().timeIntervalSince1970)
    }

    func count(_ error: ErrorCode) {
        errors.first { $0.code == error }?.counter.increment()
    }
}

/// A number of living objects, readable by the daemon and exported as a gauge.
package final class CountedGauge: Sendable {
    private let count = Mutex(0)
    private let gauge: Gauge

    init(_ label: String) {
        gauge = Gauge(label: label)
        gauge.record(0)
    }

    /// The current number.
    package var value: Int { count.withLock { $0 } }

    /// Adds a change.
    ///
    /// The gauge is set under the lock, so it cannot end with an older number.
    package func add(_ change: Int) {
        count.withLock { count in
            count += change
            gauge.record(count)
        }
    }
}
