import Accounts
import FoundationEssentials
import GRDB
import Logging
import Synchronization
import TestSupport
import ViewModelKit

@testable import ViewModelStorage
@testable import ViewModelStore

/// The user that most tests are about, and another one.
let (anna, ben): (UInt32, UInt32) = (1000, 1001)

/// A store that finds no credential.
func openStore(
    _ directory: TemporaryDirectory,
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
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
    return try await StateStore.open(configuration, logger: logger)
}

/// Runs `body` with a store that is open meanwhile.
@discardableResult
func withStore<Value>(
    _ directory: TemporaryDirectory,
    adjusting adjust: (inout StateStoreConfiguration) -> Void,
    _ body: (StateStore) async throws -> Value
) async throws -> Value {
    let store = try await openStore(directory, adjust)
    let value = try await body(store)
    try await store.close()
    return value
}

/// Runs `body` with a store that is open meanwhile.
@discardableResult
func withStore<Value>(
    _ directory: TemporaryDirectory,
    _ body: (StateStore) async throws -> Value
) async throws -> Value {
    try await withStore(directory, adjusting: { _ in }, body)
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

/// The kind of the store's error that something ends with, or nil.
func failure<Value>(_ body: () async throws -> Value) async throws -> StoreError.Kind? {
    do {
        _ = try await body()
        return nil
    } catch let error as StoreError {
        return error.kind
    }
}

/// A connection to the database of a directory, as another process has it, which has run some statements.
func otherProcess(_ directory: TemporaryDirectory, _ sql: String) async throws -> DatabaseQueue {
    var settings = GRDB.Configuration()
    settings.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: "\(directory.path)/viewmodeld.sqlite", configuration: settings)
    try await other.writeWithoutTransaction { try $0.execute(sql: sql) }
    return other
}

/// What another process runs to keep the file for itself, until its connection is closed.
let holdFile = "PRAGMA locking_mode = EXCLUSIVE; DELETE FROM vault"

/// Changes the database of a directory behind the back of the store.
func change(_ directory: TemporaryDirectory, _ sql: String) async throws {
    try await otherProcess(directory, sql).close()
}

/// Fills the outbox with 200 items, so that the file has many pages.
func fillOutbox(_ directory: TemporaryDirectory) async throws {
    try await withStore(directory) { store in
        for number in 0..<200 { try await store.outbox.add(String(repeating: "\(number)", count: 300), of: anna) }
    }
}

/// The texts in the outbox of `anna`.
func outboxTexts(_ directory: TemporaryDirectory) async throws -> [String] {
    try await withStore(directory) { try await $0.outbox.items(of: anna).map(\.text) }
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
            access: Password("access-token-\(number)-oW8eiphu"),
            refresh: Password("refresh-token-\(number)-Ahx7ohqu"),
            expiresAt: Date(timeIntervalSince1970: 1_800_000_000.25),
            account: "anna@example.org"
        )
    }
}
