/// Delays between attempts: each twice the one before, up to a limit, and a little different for everyone.
public struct Backoff: Sendable {
    private let first: Duration
    private let limit: Duration
    private var next: Duration

    /// Delays that begin with `first` and do not exceed `limit` by more than their jitter.
    public init(first: Duration = .seconds(1), limit: Duration) {
        self.first = first
        self.limit = limit
        next = first
    }

    /// The next delay: nominal, or up to a quarter less or more; longer where the backend asks for it, up to the limit.
    public mutating func delay(atLeast asked: Duration? = nil) -> Duration {
        let nominal = next
        next = min(next * 2, limit)
        let jittered = nominal * Double.random(in: 0.75...1.25)
        return min(max(jittered, asked ?? .zero), limit)
    }

    /// Begins anew, after a success.
    public mutating func reset() {
        next = first
    }
}
