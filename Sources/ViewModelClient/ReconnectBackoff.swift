/// How long a client waits between two tries to get its connection back.
public struct ReconnectBackoff: Equatable, Sendable {
    /// The first wait.
    public var initial: Duration
    /// The longest wait.
    public var maximum: Duration
    /// By how much each wait is longer than the one before.
    public var factor: Double
    /// The part of a wait, 0 to 1, that is left to chance, so that many clients do not come back at once.
    public var jitter: Double

    /// Creates a policy.
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

    /// The wait before a try, the first being 0.
    public func delay(before attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        var delay = initial
        for _ in 0..<attempt where delay < maximum { delay = delay * factor }
        let part = jitter > 0 ? Double.random(in: (1 - jitter)...1, using: &generator) : 1
        return min(delay, maximum) * part
    }
}
