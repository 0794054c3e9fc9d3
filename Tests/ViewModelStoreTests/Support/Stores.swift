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

/// The time of day as a test wants it.
final class ManualClock: Sendable {
    private let date = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

    var now: Date { date.withLock { $0 } }

    func advance(by seconds: Double) {
        date.withLock { $0 += seconds }
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
