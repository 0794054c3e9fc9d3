import CoreMetrics

/// What the connections of an event loop count: bytes, and what waits for clients that are behind.
///
/// Bytes are added up here, and told once a burst without the generic conversion of numbers that `Counter` makes.
struct TrafficCounters {
    var receivedBytes = 0
    /// Handed over to sockets.
    var sentBytes = 0
    /// Unsent bytes of the connections that have more than ``Connection/frameBudget`` of them.
    let backlog = Meter(label: "viewmodeld_backlog_bytes")
    private let received = Self.counter("viewmodeld_received_bytes_total")
    private let sent = Self.counter("viewmodeld_sent_bytes_total")

    /// Tells what was added up.
    mutating func tell() {
        if receivedBytes > 0 { received.increment(by: Int64(receivedBytes)) }
        if sentBytes > 0 { sent.increment(by: Int64(sentBytes)) }
        (receivedBytes, sentBytes) = (0, 0)
    }

    private static func counter(_ label: String) -> any CounterHandler {
        MetricsSystem.factory.makeCounter(label: label, dimensions: [])
    }
}
