import CoreMetrics

/// What the connections of an event loop count: bytes, and what waits for clients that are behind.
///
/// Bytes are counted for every read and write, and so without the generic conversion of numbers that `Counter` makes.
struct Traffic {
    let receivedBytes = Self.counter("viewmodeld_received_bytes_total")
    /// Handed over to sockets.
    let sentBytes = Self.counter("viewmodeld_sent_bytes_total")
    /// Unsent bytes of the connections that have more than ``Connection/frameBudget`` of them.
    let backlog = Meter(label: "viewmodeld_backlog_bytes")

    private static func counter(_ label: String) -> any CounterHandler {
        MetricsSystem.factory.makeCounter(label: label, dimensions: [])
    }
}
