/// Delays the replies to a client that repeats calls although the store is away.
///
/// The first refusals are answered at once. A client that calls again after each reply then gets twenty of them a second, so
/// it costs the daemon next to nothing. One that sends many calls at once waits a second at most.
struct RefusalPace {
    /// The number of refusals that are answered at once.
    private static let burst = 20
    private static let interval = Duration.milliseconds(50)
    /// The longest delay, however many calls a client sends at once.
    private static let longest = Duration.seconds(1)

    /// When the next refusal would be answered if all came in equal intervals.
    private var next = .zero - interval * burst

    /// Returns the delay of a refusal.
    mutating func delay(at now: Duration) -> Duration {
        let delay = min(max(next - now, .zero), Self.longest)
        next = min(max(next, now - Self.interval * Self.burst) + Self.interval, now + Self.longest)
        return delay
    }
}
