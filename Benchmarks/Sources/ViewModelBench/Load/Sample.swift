import Glibc

/// What one measurement gave.
struct Sample {
    /// Nanoseconds, of each operation, in no order.
    private(set) var latencies: [UInt64] = []
    /// The server's processor time, in nanoseconds.
    var processorTime: UInt64 = 0
    /// How many replies or notifications that time was spent on.
    var operations = 0
    /// How long it took, in nanoseconds.
    var duration: UInt64 = 0
    /// Bytes that came in notifications.
    var notificationBytes = 0

    init() {
        latencies.reserveCapacity(1 << 16)
    }

    mutating func add(latency: UInt64) {
        latencies.append(latency)
    }

    /// Microseconds of the server's processor time per operation.
    var processorMicroseconds: Double { Double(processorTime) / Double(max(operations, 1)) / 1000 }

    var operationsPerSecond: Double { Double(operations) / (Double(max(duration, 1)) / 1e9) }

    /// The latency, in microseconds, that a share of all was not longer than.
    func microseconds(quantile: Double) -> Double {
        guard !latencies.isEmpty else { return 0 }
        let sorted = latencies.sorted()
        return Double(sorted[min(sorted.count - 1, Int(quantile * Double(sorted.count)))]) / 1000
    }
}

/// Nanoseconds on the clock that never goes back.
func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
