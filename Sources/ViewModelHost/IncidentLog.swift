import ViewModelKit

/// A fault with the id that clients receive.
struct Incident {
    /// The id.
    ///
    /// A fault that is not logged has the id of the last logged equal fault.
    let id: String
    /// The number of equal faults that were not logged before this one, or nil if this fault is not logged.
    let unlogged: Int?
}

/// A filter that selects the incidents to log, so that a client cannot fill the log with a repeated fault.
struct IncidentLog {
    /// The maximum number of tracked kinds of fault.
    private static var capacity: Int { 256 }

    /// The maximum log lines of one kind of fault, or of one user's event, in five seconds.
    static var burst: Int { 20 }

    private var limit = LogRateLimiter<String>(burst: Self.burst, capacity: Self.capacity)
    /// The id of the last logged incident of each kind.
    private var lastIDs: [String: String] = [:]

    /// Counts a fault and returns its incident.
    mutating func admit(_ fault: String, at now: Duration) -> Incident {
        let unlogged = limit.admit(fault, at: now)
        if unlogged == nil, let id = lastIDs[fault] { return Incident(id: id, unlogged: nil) }
        let id = Self.freshID()
        if lastIDs.count >= Self.capacity { lastIDs = [:] }
        lastIDs[fault] = id
        return Incident(id: id, unlogged: unlogged ?? 0)
    }

    private static func freshID() -> String {
        String(UInt32.random(in: .min ... .max), radix: 16) + String(UInt64.random(in: .min ... .max), radix: 16)
    }
}
