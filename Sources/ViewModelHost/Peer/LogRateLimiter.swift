/// A limiter that lets a burst of events of each kind through in five seconds, and counts the others.
package struct LogRateLimiter<Kind: Hashable> {
    private struct Interval {
        var end: Duration
        var admitted = 0
        var suppressed = 0
    }

    private static var length: Duration { .seconds(5) }
    private var intervals: [Kind: Interval] = [:]
    private let burst: Int
    private let capacity: Int?

    /// Creates a limiter that lets `burst` events of a kind through in five seconds, and tracks `capacity` kinds.
    package init(burst: Int = 1, capacity: Int? = nil) {
        self.burst = burst
        self.capacity = capacity
    }

    /// Decides whether to log a line that stands for `count` events.
    ///
    /// `now` is the time of a monotonic clock.
    ///
    /// - Returns: The number of events of its kind that were suppressed before it; nil if this line is suppressed.
    package mutating func admit(_ kind: Kind, count: Int = 1, at now: Duration) -> Int? {
        if intervals[kind] == nil { makeRoom(at: now) }
        var interval = intervals[kind] ?? Interval(end: now + Self.length)
        defer { intervals[kind] = interval }
        if interval.end <= now {
            interval.end = now + Self.length
            interval.admitted = 0
        }
        guard interval.admitted < burst else {
            interval.suppressed += count
            return nil
        }
        interval.admitted += 1
        defer { interval.suppressed = 0 }
        return interval.suppressed
    }

    /// Returns and clears the counts of suppressed events that no log line has reported.
    package mutating func removeSuppressed() -> [(kind: Kind, count: Int)] {
        defer { intervals = [:] }
        return intervals.filter { $0.value.suppressed > 0 }.map { ($0.key, $0.value.suppressed) }
    }

    private mutating func makeRoom(at now: Duration) {
        guard let capacity, intervals.count >= capacity else { return }
        intervals = intervals.filter { $0.value.end > now }
        if intervals.count >= capacity { intervals = [:] }
    }
}
