/// Bounds the log lines of each kind to a burst in every five seconds; the others are counted.
///
/// ``LogRateLimiter`` lets one line through where this lets a burst through.
struct LogBurstLimiter<Kind: Hashable> {
    private struct Window {
        var end: Duration
        var lines = 0
        var heldBack = 0
    }

    private static var interval: Duration { .seconds(5) }
    /// The lines of one kind in an interval.
    private static var burst: Int { 20 }
    private var windows: [Kind: Window] = [:]
    /// The kinds that are told apart at a time; nil for any number.
    private let capacity: Int?

    init(capacity: Int? = nil) {
        self.capacity = capacity
    }

    /// Decides about a line that stands for `count` events.
    ///
    /// - Returns: how many events were held back before it; nil when this line is held back.
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
