/// A watch over a connection that delivers no messages because its client does not read replies.
///
/// `limits.stallSeconds` is the time after which the connection is closed.
struct StallWatch {
    /// The time between two checks: a twentieth of the limit, but at least 50 ms.
    let interval: Duration
    private let limit: Duration
    private var least: Int
    private var lastProgress: Duration

    /// Starts the watch.
    ///
    /// - Parameters:
    ///   - backlog: the bytes that wait for the client. During the watch only replies of actions add to them.
    ///   - limit: the time without progress after which the client counts as stalled.
    ///   - now: the time.
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

/// A watch over a slow client, whose backlog defers its frames.
struct LagWatch {
    /// Delay before a slow client is logged.
    static let reportDelay = Duration.seconds(5)

    let begun: Duration
    var isReported = false

    /// Returns how long the client was behind, or nil if it was not reported.
    func reportedLength(at now: Duration) -> Duration? { isReported ? now - begun : nil }
}
