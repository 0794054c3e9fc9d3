/// The wrong passwords of one user, counted for each account.
///
/// From the fifth wrong password in a row on, the failure is reported after 1, 2, 4 … 30 seconds. Attempts on the same
/// account wait for each other and for that delay. Other accounts and other users do not wait. A success resets the
/// count, and 15 minutes without a failure also reset it.
///
/// Isolation: confined to its actor.
final class SignInAttempts {
    final class Account {
        /// Serializes the attempts.
        let mutex = AsyncMutex()
        fileprivate(set) var failures = 0
        /// The earliest time of the next attempt.
        fileprivate(set) var earliest = Duration.zero
        fileprivate var latestFailure = Duration.zero
        /// The calls of ``withAttempts(on:now:_:)`` in progress.
        fileprivate var callers = 0
    }

    /// The number of wrong passwords that are reported without a delay.
    private static let undelayedFailures = 4
    /// The time without a failure that resets the count.
    static let resetInterval = Duration.seconds(900)
    private static let capacity = 1024
    /// The accounts by the hash of their names, because a client chooses the length of a name.
    ///
    /// Two names with the same hash share their delay.
    private var accounts: [Int: Account] = [:]

    /// Runs `body` with the attempts on the account of this name.
    func withAttempts<Result>(
        on name: String,
        now: Duration,
        _ body: (Account) async throws -> Result
    ) async throws -> Result {
        let key = name.hashValue
        let account = accounts[key] ?? Account()
        accounts[key] = account
        if account.callers == 0, now - account.latestFailure > Self.resetInterval { account.failures = 0 }
        account.callers += 1
        defer {
            account.callers -= 1
            if account.callers == 0, account.failures == 0 { accounts[key] = nil }
            makeRoom()
        }
        return try await body(account)
    }

    /// Counts a wrong password and delays the next attempt.
    ///
    /// - Returns: The delay before the failure is reported.
    func recordFailure(on account: Account, now: Duration) -> Duration {
        account.failures += 1
        account.latestFailure = now
        guard account.failures > Self.undelayedFailures else { return .zero }
        let delay = Duration.seconds(min(1 << min(account.failures - Self.undelayedFailures - 1, 5), 30))
        account.earliest = now + delay
        return delay
    }

    /// Resets the count after a right password.
    func recordSuccess(on account: Account) {
        account.failures = 0
    }

    /// Removes the idle account with the oldest latest failure, if there are more accounts than `capacity`.
    private func makeRoom() {
        guard accounts.count > Self.capacity else { return }
        let idle = accounts.filter { $0.value.callers == 0 }
        guard let oldest = idle.min(by: { $0.value.latestFailure < $1.value.latestFailure }) else { return }
        accounts[oldest.key] = nil
    }
}

/// The clock for the delays after wrong passwords; virtual in tests.
package struct SignInClock: Sendable {
    /// Returns the time since a fixed moment in the past.
    package let now: @Sendable () -> Duration
    /// Suspends until ``now`` reaches a time; throws if the task is cancelled.
    package let sleep: @Sendable (_ until: Duration) async throws -> Void

    /// Returns a clock that measures the time since this call on the system's continuous clock.
    package static func system() -> SignInClock {
        let start = ContinuousClock.now
        return SignInClock(
            now: { ContinuousClock.now - start },
            sleep: { try await Task.sleep(until: start + $0, clock: .continuous) }
        )
    }
}
