/// A watch over a connection that delivers no messages because its client does not read replies.
///
/// `limits.stallSeconds` is the time after which the connection is closed.
struct StallWatch {
    /// The time between two checks: a twentieth of the limit, but at least 50 ms.
    let interval: Duration
    private let limit: Duration
    private var least: Int
    private var lastProgress: Duration

    /// Starts the watch with the bytes that wait for the client; during the watch only replies of actions add to them.
    init(backlog: Int, limit: Duration, at now: Duration) {
        self.limit = limit
        interval = max(limit / 20, .milliseconds(50))
        least = backlog
        lastProgress = now
    }

    /// Returns whether the kernel has accepted no byte for the whole limit.
    mutating func isStalled(backlog: Int, at now: Duration) -> Bool {
        if backlog < least {
            least = backlog
            lastProgress = now
        }
        return now - lastProgress >= limit
    }
}
