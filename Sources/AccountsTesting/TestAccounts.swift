public import Accounts
import FoundationEssentials
import Logging
public import ViewModelKit
import ViewModelStorage
import ViewModelStore

/// Accounts and an outbox for tests of ViewModels, without a daemon and a backend.
///
/// The test adds accounts, decides when requests fail, and sees what was delivered:
///
///     try await TestAccounts.run { test in
///         test.add(AccountPage(account: "ada", nickname: "Ada"), password: "correct horse")
///         let door = try Harness(Door.self, providing: test.accounts)
///         let call = try door.start(\.actions.signIn, .init(name: "ada", password: "wrong"))
///         #expect(try await call.answered() == .failure(TestAccounts.wrongPassword.failure))
///     }
///
/// Tokens and messages are stored on disk, as in a daemon, by threads of their own. A test therefore awaits
/// `call.answered()`, or `harness.wait { … }`. Several sessions of one user share the account, as in a daemon.
///
/// Isolation: used from anywhere.
public final class TestAccounts: Sendable {
    /// The accounts and outboxes, for `providing:` of a harness or `provide` of a catalog.
    public let accounts: AccountService
    private let provider: TestProvider

    private init(provider: TestProvider, store: any StateStorage, logger: Logger) {
        self.provider = provider
        accounts = AccountService(provider: provider, store: store, logger: logger)
    }

    /// The error for a wrong password or an unknown account.
    public static var wrongPassword: AccountError {
        AccountError(.invalidCredentials, "The account or the password is wrong")
    }

    /// Runs a test with a store in a directory of its own, and removes the directory.
    ///
    /// - Parameters:
    ///   - page: an account to which the user of a harness is signed in already, with the password `password`.
    ///   - uid: the user, by default that of a harness.
    ///   - outboxItemsPerUser: the limit of the configuration.
    ///   - body: the test.
    /// - Returns: the result of the test.
    /// - Throws: the error of the test, or an error of the store.
    public static func run<Result>(
        signedIn page: AccountPage? = nil,
        uid: UInt32 = 1000,
        outboxItemsPerUser: Int = 10_000,
        _ body: (TestAccounts) async throws -> Result
    ) async throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appending(path: "accounts-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let logger = Logger(label: "accounts") { _ in SwiftLogNoOpLogHandler() }
        var configuration = StateStoreConfiguration(directory: directory)
        configuration.bounds.outboxItems = outboxItemsPerUser
        let store = try await StateStore.open(configuration, logger: logger)
        let test = TestAccounts(provider: TestProvider(), store: store, logger: logger)
        return try await withCleanup {
            try await test.accounts.run {
                if let page {
                    test.add(page, password: "password")
                    _ = try await test.accounts[uid].signIn(page.account, password: "password")
                }
                return try await body(test)
            }
        } cleanUp: {
            try await store.close()
        }
    }

    /// Adds an account, or replaces the page and the password of the account with this name.
    ///
    /// - Parameters:
    ///   - page: the account's name and its other data.
    ///   - password: its password.
    public func add(_ page: AccountPage, password: Password) {
        provider.change { $0.accounts[page.account] = .init(page: page, password: password) }
    }

    /// Makes later requests fail with an error, until nil is passed.
    ///
    /// Requests are sign-ins, registrations, fetches of the page and deliveries.
    ///
    /// - Parameter error: the error, such as `AccountError(.unreachable, "No network")`.
    public func fail(with error: AccountError?) {
        provider.change { $0.error = error }
    }

    /// Makes all tokens invalid that were issued before.
    ///
    /// The next request with such a token signs the user out.
    public func revokeTokens() {
        provider.change { $0.firstValidToken = $0.tokens + 1 }
    }

    /// Grants the pending sign-in on another device, as the person does in a browser.
    ///
    /// The ViewModel polls every five seconds of the session's clock: `harness.advance(by: .seconds(5))`.
    ///
    /// - Parameter account: the account that the person uses.
    public func grantDevice(to account: String) {
        provider.change { $0.deviceAnswer = .granted(account) }
    }

    /// Denies the pending sign-in on another device.
    public func denyDevice() {
        provider.change { $0.deviceAnswer = .denied }
    }

    /// The texts of the messages that `SessionAccount.deliver(_:)` has delivered, in their order.
    public var delivered: [String] { provider.change { $0.delivered } }
}
