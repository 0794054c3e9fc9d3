/// The delays between attempts, which grow up to a maximum and differ at random.
///
/// The client waits with it between two connections, and the daemon between two requests to a backend.
public struct Backoff: Equatable, Sendable {
    /// The first delay.
    public var initial: Duration
    /// The maximum delay.
    public var maximum: Duration
    /// The ratio between a delay and the one before it.
    public var factor: Double
    /// The largest deviation from a delay, as a part of the delay: 0.25 for ± 25 %.
    ///
    /// It prevents that many programs try again at the same time.
    public var jitter: Double
    /// The next delay without jitter; nil for the first one.
    private var next: Duration?

    /// Creates delays that start near `initial` and never exceed `maximum`.
    public init(initial: Duration = .seconds(1), maximum: Duration, factor: Double = 2, jitter: Double = 0.25) {
        self.initial = initial
        self.maximum = maximum
        self.factor = factor
        self.jitter = jitter
    }

    /// Returns the delay before the next attempt, at least `asked` and at most the maximum.
    ///
    /// `chance` is the deviation from 0 (the shortest delay) to 1 (the longest). 0.5 is a delay without deviation.
    package mutating func delay(
        atLeast asked: Duration? = nil,
        chance: Double = .random(in: 0...1)
    ) -> Duration {
        let nominal = min(next ?? initial, maximum)
        next = min(nominal * factor, maximum)
        let deviation = jitter * (2 * chance - 1)
        let jittered = deviation == 0 ? nominal : nominal * (1 + deviation)
        return min(max(jittered, asked ?? .zero), maximum)
    }

    /// Starts again with the first delay, after a success.
    package mutating func reset() {
        next = nil
    }
}
