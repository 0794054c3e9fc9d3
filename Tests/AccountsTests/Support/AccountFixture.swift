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
    static var logger: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }

    let store: any StateStorage
    let accounts: AccountService
    let directory: TemporaryDirectory

    /// Runs a test on a fresh store; `again` opens the same store anew, as after a restart.
    static func with(
        _ provider: (any StateStorage) throws -> any AccountProvider,
        clock: SignInClock? = nil,
        _ body: @escaping (AccountFixture) async throws -> Void,
        again: ((AccountFixture) async throws -> Void)? = nil
    ) async throws {
        let directory = try TemporaryDirectory()
        for part in [body, again].compactMap({ $0 }) {
            let store = try await TestStore.open(in: directory.path, logger: logger)
            let accounts = AccountService(
                provider: try provider(store),
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

    func signIn(
        _ uid: UInt32 = ada,
        as account: String = "ada",
        password: Password = AccountFixture.password
    ) async throws {
        _ = try await accounts[uid].signIn(account, password: password)
    }

    func snapshot(of uid: UInt32 = ada) -> AccountSnapshot { accounts[uid].snapshot }

    func autoLogin(of uid: UInt32 = ada) async throws -> AutoLoginResult {
        do {
            return try await accounts[uid].autoLogin().map(AutoLoginResult.signedIn) ?? .noToken
        } catch let error as AccountError where error.kind == .signedOut {
            return .refused(error.description)
        }
    }

    func deliver(_ text: String = "hello", key: String = "k") async throws {
        try await accounts[Self.ada].deliver(text, key: key)
    }

    /// The stored token.
    func token() async throws -> VaultToken? {
        try await store.vault.token(of: Self.ada, provider: accounts.provider.name)
    }
}

/// How a sign-in with the stored token ends.
enum AutoLoginResult: Equatable {
    case noToken
    case signedIn(AccountPage)
    case refused(String)
}

/// The account's error that something ends with.
func failure(_ body: () async throws -> Void) async throws -> AccountError {
    struct NothingFailed: Error {}
    do {
        try await body()
    } catch let error as AccountError {
        return error
    }
    throw NothingFailed()
}

extension DeviceGrant {
    /// A grant whose code is good until a moment.
    static func sample(until end: Date = Date(timeIntervalSinceNow: 600)) -> DeviceGrant {
        let prompt = DevicePrompt(
            userCode: "U",
            verificationUri: "http://x/",
            verificationUriComplete: nil,
            expiresAt: end
        )
        return DeviceGrant(prompt: prompt, code: Password("d"))
    }
}
