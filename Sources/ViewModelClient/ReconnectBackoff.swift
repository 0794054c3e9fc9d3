/// The delays between attempts to reconnect: exponential, with jitter.
public struct ReconnectBackoff: Equatable, Sendable {
    /// The first delay.
    public var initial: Duration
    /// The maximum delay.
    public var maximum: Duration
    /// The ratio between a delay and the one before it.
    public var factor: Double
    /// The random part of a delay, 0 to 1.
    ///
    /// It prevents that many clients reconnect at the same time.
    public var jitter: Double

    /// Creates a backoff.
    public init(
        initial: Duration = .milliseconds(50),
        maximum: Duration = .seconds(5),
        factor: Double = 2,
        jitter: Double = 0.2
    ) {
        self.initial = initial
        self.maximum = maximum
        self.factor = factor
        self.jitter = jitter
    }

    /// Returns the delay before an attempt.
    ///
    /// The first delay has the number 0.
    public func delay(before attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        var delay = initial
        for _ in 0..<attempt where delay < maximum { delay = delay * factor }
        let part = jitter > 0 ? Double.random(in: (1 - jitter)...1, using: &generator) : 1
        return min(delay, maximum) * part
    }
}
