import Accounts
import TestSupport
import FoundationEssentials
import Logging
import Synchronization

@testable import ViewModelStorage
@testable import ViewModelStore

/// The user that most tests are about, and another one.
let (anna, ben): (UInt32, UInt32) = (1000, 1001)

/// A store that says nothing and finds no credential.
func openStore(
    _ directory: TemporaryDirectory,
    _ adjust: (inout StateStoreConfiguration) -> Void = { _ in }
) async throws(StoreError) -> StateStore {
    var configuration = StateStoreConfiguration(directory: directory.path)
    configuration.credentialsDirectory = nil
    configuration.busyTimeout = .milliseconds(20)
    configuration.openTimeout = .milliseconds(20)
    adjust(&configuration)
    // The directory stays for as long as the store does.
    let clock = configuration.clock
    configuration.clock = { withExtendedLifetime(directory) { clock() } }
    return try await StateStore.open(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
}

/// The error that opening ends with, or nil where it succeeds.
func openingError(
    _ directory: TemporaryDirectory,
    _ adjust: (inout StateStoreConfiguration) -> Void = { _ in }
) async -> StoreError? {
    do {
        try await openStore(directory, adjust).close()
        return nil
    } catch {
        return error
    }
}

/// What an operation on a store fails with, or nil.
func failure(of body: () async throws(StoreError) -> Void) async -> StoreError.Kind? {
    do {
        try await body()
        return nil
    } catch {
        return error.kind
    }
}

/// The time of day and the time for ages as a test wants them.
final class ManualClock: Sendable {
    private let state = Mutex((date: Date(timeIntervalSince1970: 1_800_000_000), uptime: Duration.zero))

    var now: Date { state.withLock { $0.date } }
    var uptime: Duration { state.withLock { $0.uptime } }

    /// Lets time pass.
    func advance(by seconds: Double) {
        state.withLock { state in
            state.date += seconds
            state.uptime += .seconds(seconds)
        }
    }

    /// Sets the time of day, and no time passes.
    func step(by seconds: Double) {
        state.withLock { $0.date += seconds }
    }
}

extension StateStoreConfiguration {
    mutating func use(_ clock: ManualClock) {
        self.clock = { clock.now }
        uptime = { clock.uptime }
    }
}

extension VaultToken {
    /// A token with recognizable contents.
    static func sample(_ number: Int = 1) -> VaultToken {
        VaultToken(
            access: Secret("access-token-\(number)-oW8eiphu"),
            refresh: Secret("refresh-token-\(number)-Ahx7ohqu"),
            expiresAt: Date(timeIntervalSince1970: 1_800_000_000.25),
            account: "anna@example.org"
        )
    }
}

extension OutboxAddition {
    /// The added item; nil if the outbox was full.
    var item: OutboxItem? {
        if case .added(let item) = self { item } else { nil }
    }
}
