import Glibc

/// The result of one measurement.
struct Sample {
    /// The latency of each operation in nanoseconds, unsorted.
    private(set) var latencies: [UInt64] = []
    /// The server's CPU time in nanoseconds.
    var processorTime: UInt64 = 0
    /// The number of replies or notifications in that time.
    var operations = 0
    /// The length of the measurement in nanoseconds.
    var duration: UInt64 = 0
    /// The number of bytes received in notifications.
    var notificationBytes = 0

    init() {
        latencies.reserveCapacity(1 << 16)
    }

    mutating func add(latency: UInt64) {
        latencies.append(latency)
    }

    /// The server's CPU time per operation in microseconds.
    var processorMicroseconds: Double { Double(processorTime) / Double(max(operations, 1)) / 1000 }

    var operationsPerSecond: Double { Double(operations) / (Double(max(duration, 1)) / 1e9) }

    /// Returns a quantile of the latencies in microseconds.
    func microseconds(quantile: Double) -> Double {
        guard !latencies.isEmpty else { return 0 }
        let sorted = latencies.sorted()
        return Double(sorted[min(sorted.count - 1, Int(quantile * Double(sorted.count)))]) / 1000
    }
}

/// Returns the time of the monotonic clock in nanoseconds.
func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
