import ViewModelKit

/// A filter that selects the incidents to log, so that a client cannot fill the log with a repeated fault.
struct IncidentLog {
    /// The maximum number of tracked kinds of fault.
    private static var capacity: Int { 256 }

    /// The maximum log lines of one kind of fault, or of one user's event, in five seconds.
    static var burst: Int { 20 }

    private var limit = LogRateLimiter<String>(burst: Self.burst, capacity: Self.capacity)
    /// The id of the last logged incident of each kind.
    private var lastIDs: [String: String] = [:]

    /// Returns the id of a fault.
    ///
    /// - Returns: The id, and the number of equal faults that were not logged before this one. The number is nil if
    ///   this fault is not logged. Its id is then the one of the last logged equal fault.
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
