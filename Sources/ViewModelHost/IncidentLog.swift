import ViewModelKit

/// Decides which incidents the log tells one by one, so that no client can fill it with a fault that repeats.
struct IncidentLog {
    private struct Recent {
        var id: String
        /// Until when incidents of the kind are counted together.
        var end: Duration
        var logged = 0
        var unlogged = 0
    }

    private static var interval: Duration { .seconds(5) }
    /// The incidents of one kind that are logged in an interval, each with an id of its own.
    private static var burst: Int { 20 }
    /// The kinds that are told apart at a time.
    private static var capacity: Int { 256 }

    /// Which other lines are due.
    var pace = LogPace<String>()
    private var recent: [String: Recent] = [:]

    /// Gives a fault its id.
    ///
    /// - Returns: the id, and how many equal faults went unlogged before this one; nil when this one goes unlogged, whose id
    ///   is then that of the last one that was logged.
    mutating func admit(_ fault: String, at now: Duration) -> (id: String, unlogged: Int?) {
        if recent.count >= Self.capacity { recent = recent.filter { $0.value.end > now } }
        if recent.count >= Self.capacity { recent = [:] }
        var kind = recent[fault] ?? Recent(id: "", end: now + Self.interval)
        defer { recent[fault] = kind }
        if kind.end <= now {
            kind.end = now + Self.interval
            kind.logged = 0
        }
        guard kind.logged < Self.burst else {
            kind.unlogged += 1
            return (kind.id, nil)
        }
        kind.id = Self.freshID()
        kind.logged += 1
        defer { kind.unlogged = 0 }
        return (kind.id, kind.unlogged)
    }

    private static func freshID() -> String {
        String(UInt32.random(in: .min ... .max), radix: 16) + String(UInt64.random(in: .min ... .max), radix: 16)
    }
}
