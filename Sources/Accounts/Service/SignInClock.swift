/// The time by which repeated wrong passwords are slowed down; virtual in tests.
package struct SignInClock: Sendable {
    /// Time since some moment in the past.
    package let now: @Sendable () -> Duration
    /// Suspends until a moment of ``now``; throws when the task is cancelled.
    package let sleep: @Sendable (_ until: Duration) async throws -> Void

    /// A clock of these functions.
    package init(
        now: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (_ until: Duration) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// The time since the call, on the system's continuous clock.
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
