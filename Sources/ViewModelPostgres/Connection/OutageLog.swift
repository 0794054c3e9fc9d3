/// Decides which failures and successes are logged: the first failure of an outage, and a success after its end.
///
/// An outage ends with the first success after some seconds without a failure. In a storm of failures some calls succeed.
struct OutageLog {
    /// The time without a failure after which an outage is over.
    static let quiet = Duration.seconds(5)

    private var hasSucceeded = true
    private var latestFailure: ContinuousClock.Instant?

    /// Records a failure, and returns whether it begins an outage.
    mutating func failed(at now: ContinuousClock.Instant = .now) -> Bool {
        defer { (hasSucceeded, latestFailure) = (false, now) }
        return latestFailure.map { hasSucceeded && now - $0 >= Self.quiet } ?? true
    }

    /// Records a success, and returns whether it ends an outage.
    mutating func succeeded(at now: ContinuousClock.Instant = .now) -> Bool {
        hasSucceeded = true
        guard let latestFailure, now - latestFailure >= Self.quiet else { return false }
        self.latestFailure = nil
        return true
    }
}
