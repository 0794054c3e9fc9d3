/// Keeps a flood out of the log: one event of a kind every five seconds, the others counted.
package struct LogRateLimiter<Kind: Hashable> {
    private struct Entry {
        var notBefore: Duration
        var heldBack = 0
    }

    private static var interval: Duration { .seconds(5) }
    private var entries: [Kind: Entry] = [:]

    package init() {}

    /// Decides about an event at a time of a clock that never goes back.
    ///
    /// - Returns: how many of its kind were held back before it; nil when this one is held back, too.
    package mutating func admit(_ kind: Kind, at now: Duration) -> Int? {
        if let entry = entries[kind], now < entry.notBefore {
            entries[kind]?.heldBack += 1
            return nil
        }
        defer { entries[kind] = Entry(notBefore: now + Self.interval) }
        return entries[kind]?.heldBack ?? 0
    }

    /// What was held back and has not been told.
    package mutating func takeHeldBack() -> [(kind: Kind, count: Int)] {
        defer { entries = [:] }
        return entries.filter { $0.value.heldBack > 0 }.map { ($0.key, $0.value.heldBack) }
    }
}
