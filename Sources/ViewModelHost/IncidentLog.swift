import ViewModelKit

/// Decides which incidents the log tells one by one, so that no client can fill it with a fault that repeats.
struct IncidentLog {
    /// The kinds of fault that are told apart at a time.
    private static var capacity: Int { 256 }

    /// Which other lines are due.
    var pace = LogRateLimiter<String>()
    private var limit = LogBurstLimiter<String>(capacity: Self.capacity)
    /// The id of the last logged incident of each kind.
    private var lastIDs: [String: String] = [:]

    /// Gives a fault its id.
    ///
    /// - Returns: the id, and how many equal faults went unlogged before this one; nil when this one goes unlogged, whose id
    ///   is then that of the last one that was logged.
    mutating func admit(_ fault: String, at now: Duration) -> (id: String, unlogged: Int?) {
        let unlogged = limit.admit(fault, at: now)
        if unlogged == nil, let id = lastIDs[fault] { return (id, nil) }
        let id = Self.freshID()
        if lastIDs.count >= Self.capacity { lastIDs = [:] }
        lastIDs[fault] = id
        return (id, unlogged ?? 0)
    }

    private static func freshID() -> String {
        String(UInt32.random(in: .min ... .max), radix: 16) + String(UInt64.random(in: .min ... .max), radix: 16)
    }
}
