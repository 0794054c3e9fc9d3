/// A limiter that lets a burst of log lines of each kind through every five seconds, and counts the others.
///
/// ``LogRateLimiter`` lets only one line through.
struct LogBurstLimiter<Kind: Hashable> {
    private struct Window {
        var end: Duration
        var lines = 0
        var heldBack = 0
    }

    private static var interval: Duration { .seconds(5) }
    /// The maximum lines of one kind in an interval.
    private static var burst: Int { 20 }
    private var windows: [Kind: Window] = [:]
    /// The maximum number of tracked kinds; nil for no limit.
    private let capacity: Int?

    init(capacity: Int? = nil) {
        self.capacity = capacity
    }

    /// Decides whether to log a line that stands for `count` events.
    ///
    /// - Returns: The number of events that were suppressed before it; nil if this line is suppressed.
    mutating func admit(_ kind: Kind, count: Int = 1, at now: Duration) -> Int? {
        makeRoom(at: now)
        var window = windows[kind] ?? Window(end: now + Self.interval)
        defer { windows[kind] = window }
        if window.end <= now {
            window.end = now + Self.interval
            window.lines = 0
        }
        guard window.lines < Self.burst else {
            window.heldBack += count
            return nil
        }
        window.lines += 1
        defer { window.heldBack = 0 }
        return window.heldBack
    }

    private mutating func makeRoom(at now: Duration) {
        guard let capacity, windows.count >= capacity else { return }
        windows = windows.filter { $0.value.end > now }
        if windows.count >= capacity { windows = [:] }
    }
}
