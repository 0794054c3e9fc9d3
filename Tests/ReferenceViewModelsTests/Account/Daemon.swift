import Accounts
import Logging
import TestSupport
import ViewModelKit
import ViewModelStore
import ViewModelTesting

@testable import ReferenceViewModels

/// A store in a directory of its own, the services on it, and sessions with one ViewModel each.
struct Daemon<Provider: AccountProvider>: Sendable {
    let provider: Provider
    let accounts: AccountService

    /// Runs a test with accounts of this provider.
    static func with(_ provider: Provider, _ body: (Daemon) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let store = try await StateStore.open(StateStoreConfiguration(directory: directory.path), logger: logger)
        let daemon = Daemon(
            provider: provider,
            accounts: AccountService(provider: provider, store: store, logger: logger)
        )
        let result: Result<Void, any Error>
        do {
            result = .success(try await daemon.accounts.run { try await body(daemon) })
        } catch {
            result = .failure(error)
        }
        try await store.close()
        withExtendedLifetime(directory) {}
        try result.get()
    }

    /// Runs a test with accounts as it wants them.
    static func with(_ body: (Daemon) async throws -> Void) async throws where Provider == FakeProvider {
        try await with(FakeProvider(), body)
    }

    func login(over scene: String? = nil) throws -> Harness<Login> {
        var catalog = catalog
        try catalog.host(Login.self) { context in
            if let scene { context.coordinator.push(scene) }
            return try Login.make(in: context)
        }
        return try Harness(Login.self, in: catalog)
    }

    func mine() throws -> Harness<Mine> { try Harness(Mine.self, providing: accounts) }

    func sendList() throws -> Harness<SendList> { try Harness(SendList.self, providing: accounts) }

    private var catalog: ViewModelCatalog {
        var catalog = ViewModelCatalog()
        catalog.provide(accounts)
        return catalog
    }

    /// All ViewModels that ship, for several sessions.
    func session() throws -> SessionHarness {
        var catalog = catalog
        try ReferenceViewModels.register(in: &catalog)
        return SessionHarness(catalog)
    }

    func signIn() async throws {
        _ = try await accounts[1000].signIn("ada", password: "correct horse")
    }
}

extension TestClient {
    /// The items of `sendList` as the client shows them.
    var items: [OutboxMessage] {
        get throws { try (picture(of: "sendList")?["items"] ?? .null).decoded() }
    }
}
