/// The clock for the delays after wrong passwords; virtual in tests.
package struct SignInClock: Sendable {
    /// Returns the time since a fixed moment in the past.
    package let now: @Sendable () -> Duration
    /// Suspends until ``now`` reaches a time; throws if the task is cancelled.
    package let sleep: @Sendable (_ until: Duration) async throws -> Void

    /// Creates a clock from its functions.
    package init(
        now: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (_ until: Duration) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// Returns a clock that measures the time since this call on the system's continuous clock.
    static func system() -> SignInClock {
        let start = ContinuousClock.now
        return SignInClock(
            now: { ContinuousClock.now - start },
            sleep: { moment in
                do {
                    try await Task.sleep(until: start + moment, clock: .continuous)
                } catch {
                    throw error
                }
            }
        )
    }
}
