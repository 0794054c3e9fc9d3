/// A limiter that lets a burst of events of each kind through in five seconds, and counts the others.
package struct LogRateLimiter<Kind: Hashable> {
    private struct Window {
        var end: Duration
        var admitted = 0
        var heldBack = 0
    }

    private static var interval: Duration { .seconds(5) }
    private var windows: [Kind: Window] = [:]
    private let burst: Int
    private let capacity: Int?

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - burst: the number of events of a kind that it lets through in five seconds.
    ///   - capacity: the maximum number of tracked kinds; nil for no limit.
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
        makeRoom(at: now)
        var window = windows[kind] ?? Window(end: now + Self.interval)
        defer { windows[kind] = window }
        if window.end <= now {
            window.end = now + Self.interval
            window.admitted = 0
        }
        guard window.admitted < burst else {
            window.heldBack += count
            return nil
        }
        window.admitted += 1
        defer { window.heldBack = 0 }
        return window.heldBack
    }

    /// Returns and clears the counts of suppressed events that no log line has reported.
    package mutating func removeHeldBack() -> [(kind: Kind, count: Int)] {
        defer { windows = [:] }
        return windows.filter { $0.value.heldBack > 0 }.map { ($0.key, $0.value.heldBack) }
    }

    private mutating func makeRoom(at now: Duration) {
        guard let capacity, windows.count >= capacity else { return }
        windows = windows.filter { $0.value.end > now }
        if windows.count >= capacity { windows = [:] }
    }
}
