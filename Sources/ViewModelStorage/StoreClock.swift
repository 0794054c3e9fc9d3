import Synchronization

/// The clock by which a store measures ages: the time for which daemons have used the store.
///
/// It does not follow the time of day, which may be wrong by years after a start of the machine, so a wrong time of day
/// makes nothing old. Time in which no daemon runs does not count. The store keeps the clock's time over restarts.
///
/// Isolation: used from anywhere.
package final class StoreClock: Sendable {
    /// Returns the time since an arbitrary moment in the past.
    ///
    /// Steps of the time of day do not change it.
    package typealias Uptime = @Sendable () -> Duration

    private static let start = ContinuousClock.now
    private let uptime: Uptime
    /// The difference of the clock's time to the uptime in microseconds.
    private let offset: Mutex<Int64>

    /// Creates a clock whose time is 0.
    package init(_ uptime: @escaping Uptime = StoreClock.uptime) {
        self.uptime = uptime
        offset = Mutex(-uptime().microseconds)
    }

    /// The time since the start of the process.
    package static let uptime: Uptime = { ContinuousClock.now - start }

    /// The time in microseconds.
    package var now: Int64 { offset.withLock { $0 } + uptime().microseconds }

    /// Sets the clock forward to a time that the store has kept, unless it is later already.
    package func advance(to time: Int64) {
        let latest = offset(of: time)
        offset.withLock { $0 = max($0, latest) }
    }

    /// Sets the clock, because the store's records were replaced.
    package func set(to time: Int64) {
        let latest = offset(of: time)
        offset.withLock { $0 = latest }
    }

    /// A damaged time must not trap.
    private func offset(of time: Int64) -> Int64 { min(max(time, 0), .max / 2) - uptime().microseconds }
}
