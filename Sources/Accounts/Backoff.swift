/// Exponentially growing delays between attempts, with jitter and an upper limit.
public struct Backoff: Sendable {
    private let first: Duration
    private let limit: Duration
    private var next: Duration

    /// Creates delays that start near `first` and never exceed `limit`.
    public init(first: Duration = .seconds(1), limit: Duration) {
        self.first = first
        self.limit = limit
        next = first
    }

    /// Returns the next delay: the nominal one ± 25 %, but at least `asked` and at most the limit.
    ///
    /// The nominal delay doubles with each call.
    public mutating func delay(atLeast asked: Duration? = nil) -> Duration {
        let nominal = next
        next = min(next * 2, limit)
        let jittered = nominal * Double.random(in: 0.75...1.25)
        return min(max(jittered, asked ?? .zero), limit)
    }

    /// Starts again with the first delay, after a success.
    public mutating func reset() {
        next = first
    }
}
