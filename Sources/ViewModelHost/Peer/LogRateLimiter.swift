/// A limiter that lets one event of each kind through every five seconds, and counts the others.
package struct LogRateLimiter<Kind: Hashable> {
    private struct Entry {
        var notBefore: Duration
        var heldBack = 0
    }

    private static var interval: Duration { .seconds(5) }
    private var entries: [Kind: Entry] = [:]

    package init() {}

    /// Decides whether to log an event.
    ///
    /// `now` is the time of a monotonic clock.
    ///
    /// - Returns: The number of events of its kind that were suppressed before it; nil if this one is suppressed.
    package mutating func admit(_ kind: Kind, at now: Duration) -> Int? {
        if let entry = entries[kind], now < entry.notBefore {
            entries[kind]?.heldBack += 1
            return nil
        }
        defer { entries[kind] = Entry(notBefore: now + Self.interval) }
        return entries[kind]?.heldBack ?? 0
    }

    /// Returns and clears the counts of suppressed events that no log line has reported.
    package mutating func takeHeldBack() -> [(kind: Kind, count: Int)] {
        defer { entries = [:] }
        return entries.filter { $0.value.heldBack > 0 }.map { ($0.key, $0.value.heldBack) }
    }
}
