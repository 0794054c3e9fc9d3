import Foundation
import Logging
import PostgresSupport
import TestSupport
import Testing
import ViewModelKit
import ViewModelStorage

@testable import Accounts

/// A store in a directory of its own, and the services on it.
struct AccountFixture: Sendable {
    static let ada: UInt32 = 1000
    static let bob: UInt32 = 1001
    static let password: Password = "correct horse battery"
    let store: any StateStorage
    let accounts: AccountService
    let directory: String

    /// Runs a test on a fresh store; `again` opens the same store anew, as after a restart.
    static func with(
        _ provider: (any StateStorage) throws -> any AccountProvider,
        clock: SignInClock? = nil,
        _ body: @escaping (AccountFixture) async throws -> Void,
        again: ((AccountFixture) async throws -> Void)? = nil
    ) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "accounts-\(UUID())").path
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(atPath: directory) }
        for part in [body, again].compactMap({ $0 }) {
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let store = try await TestStore.open(in: directory, logger: logger)
            let provider = try provider(store)
            let accounts = AccountService(
                provider: provider,
                store: store,
                logger: logger,
                clock: clock ?? patientClock
            )
            let fixture = AccountFixture(store: store, accounts: accounts, directory: directory)
            do {
                try await accounts.run { try await part(fixture) }
            } catch {
                try await store.close()
                throw error
            }
            try await store.close()
        }
    }

    /// A clock whose sleeps last a minute longer, so that the end of a service waits for all last requests.
    private static var patientClock: SignInClock {
        let start = ContinuousClock.now
        return SignInClock(
            now: { ContinuousClock.now - start },
            sleep: { try await Task.sleep(until: start + $0 + .seconds(60), clock: .continuous) }
        )
    }

    /// Runs a test with an HTTP backend.
    static func with(
        _ backend: Backend,
        timeout: Duration = .seconds(60),
        _ body: @escaping (AccountFixture) async throws -> Void,
        again: ((AccountFixture) async throws -> Void)? = nil
    ) async throws {
        try await with({ _ in try HTTPProvider(url: backend.url, timeout: timeout) }, body, again: again)
        await backend.stop()
    }

    func signIn(_ uid: UInt32 = AccountFixture.ada, as account: String = "ada") async throws {
        _ = try await accounts.signIn(Credentials(account: account, password: Self.password), of: uid)
    }

    /// The kind of failure that something ends with.
    func failure(_ body: () async throws -> Void) async throws -> AccountError {
        do {
            try await body()
        } catch let error as AccountError {
            return error
        }
        throw NothingFailed()
    }

    struct NothingFailed: Error {}
}
