/// The wrong passwords of one user, for each account that the user tried to sign in to.
///
/// From the fifth wrong password in a row on, the failure is reported after 1, 2, 4 … 30 seconds. Attempts on the same account
/// wait for each other and for that delay. Other accounts and other users do not wait. A success resets the count, and so do
/// 15 minutes without a failure. Isolation: confined to its actor.
final class SignInAttempts {
    /// The attempts on one account.
    final class Account {
        /// One attempt at a time.
        let mutex = AsyncMutex()
        fileprivate(set) var failures = 0
        /// When the next attempt may be made.
        fileprivate(set) var earliest = Duration.zero
        fileprivate var latestFailure = Duration.zero
        fileprivate var users = 0
    }

    /// Wrong passwords that are answered at once.
    private static let free = 4
    private static let memory = Duration.seconds(900)
    private static let capacity = 1024
    /// The accounts by a digest of the name, because a client chooses its length.
    ///
    /// Two names with one digest share their delay.
    private var accounts: [Int: Account] = [:]

    /// How many accounts are remembered.
    var count: Int { accounts.count }

    /// Runs `body` with the attempts on an account.
    func with<Result>(
        _ name: String,
        now: Duration,
        _ body: (Account) async throws -> Result
    ) async throws -> Result {
        let key = name.hashValue
        let account = accounts[key] ?? Account()
        accounts[key] = account
        if account.users == 0, now - account.latestFailure > Self.memory { account.failures = 0 }
        account.users += 1
        defer {
            account.users -= 1
            if account.users == 0, account.failures == 0 { accounts[key] = nil }
            makeRoom()
        }
        return try await body(account)
    }

    /// Counts a wrong password.
    ///
    /// - Returns: how long to wait before it is reported.
    func noteFailure(on account: Account, now: Duration) -> Duration {
        account.failures += 1
        account.latestFailure = now
        guard account.failures > Self.free else { return .zero }
        let delay = Duration.seconds(min(1 << min(account.failures - Self.free - 1, 5), 30))
        account.earliest = now + delay
        return delay
    }

    /// Forgets the wrong passwords before a right one.
    func noteSuccess(on account: Account) {
        account.failures = 0
    }

    /// Forgets the account whose latest failure is the oldest.
    private func makeRoom() {
        guard accounts.count > Self.capacity else { return }
        let idle = accounts.filter { $0.value.users == 0 }
        guard let oldest = idle.min(by: { $0.value.latestFailure < $1.value.latestFailure }) else { return }
        accounts[oldest.key] = nil
    }
}
