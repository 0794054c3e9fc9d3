import CoreMetrics

/// The metrics of the connections of one event loop: received and sent bytes, and the backlog.
///
/// Bytes are summed here and published once per burst. `CounterHandler` avoids the generic number conversion of
/// `Counter`.
struct TrafficCounters {
    var receivedBytes = 0
    /// Bytes written to sockets.
    var sentBytes = 0
    /// Unsent bytes of the connections whose backlog exceeds ``ConnectionStateMachine/frameBudget``.
    let backlog = Meter(label: "viewmodeld_backlog_bytes")
    private let received = Self.counter("viewmodeld_received_bytes_total")
    private let sent = Self.counter("viewmodeld_sent_bytes_total")

    /// Adds the sums to the metrics and resets them.
    mutating func publish() {
        if receivedBytes > 0 { received.increment(by: Int64(receivedBytes)) }
        if sentBytes > 0 { sent.increment(by: Int64(sentBytes)) }
        (receivedBytes, sentBytes) = (0, 0)
    }

    private static func counter(_ label: String) -> any CounterHandler {
        MetricsSystem.factory.makeCounter(label: label, dimensions: [])
    }
}
