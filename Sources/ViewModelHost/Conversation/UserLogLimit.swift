/// Bounds the log lines that one user's clients cause together, however often they connect anew.
struct UserLogLimit {
    struct Kind: Hashable {
        let uid: UInt32
        let event: ClientEvent
    }

    private struct Window {
        var end: Duration
        var lines = 0
        var heldBack = 0
    }

    private static var interval: Duration { .seconds(5) }
    /// The lines of one kind in an interval.
    private static var lines: Int { 20 }
    private var windows: [Kind: Window] = [:]

    /// Decides about a line that stands for `count` events.
    ///
    /// - Returns: how many events were held back before it; nil when this line is held back.
    mutating func admit(_ kind: Kind, count: Int, at now: Duration) -> Int? {
        var window = windows[kind] ?? Window(end: now + Self.interval)
        defer { windows[kind] = window }
        if window.end <= now {
            window.end = now + Self.interval
            window.lines = 0
        }
        guard window.lines < Self.lines else {
            window.heldBack += count
            return nil
        }
        window.lines += 1
        defer { window.heldBack = 0 }
        return window.heldBack
    }
}
