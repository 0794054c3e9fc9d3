import Accounts
import Foundation
import Logging
import Synchronization
import ViewModelKit
import ViewModelStore
import ViewModelTesting

@testable import ReferenceViewModels

/// Accounts as a test wants them.
final class FakeProvider: AccountProvider {
    struct State {
        var asked = 0
        var delivered: [String] = []
        var problem: AccountError?
        var page = AccountPage(account: "ada", nickname: "Ada", balance: "100", coupons: "3")
    }

    let state = Mutex(State())

    var name: String { "fake" }
    var features: AccountFeatures { AccountFeatures(password: true) }

    func fail(_ problem: AccountError?) {
        state.withLock { $0.problem = problem }
    }

    func signIn(_ credentials: Credentials) async throws -> SignIn {
        guard credentials.password.revealed == "correct horse" else {
            throw AccountError(.invalidCredentials, "no such pair")
        }
        return SignIn(
            token: VaultToken(access: Secret("token"), account: "ada"),
            page: state.withLock { $0.page }
        )
    }

    func page(_ token: VaultToken, etag: String?) async throws -> PageAnswer {
        try state.withLock { state in
            state.asked += 1
            if let problem = state.problem { throw problem }
            return .page(state.page, etag: nil)
        }
    }

    func deliver(_ text: String, key: String, with token: VaultToken) async throws {
        try state.withLock { state in
            state.asked += 1
            if let problem = state.problem { throw problem }
            state.delivered.append(text)
        }
    }
}

/// A store in a directory of its own, the services on it, and sessions with one ViewModel each.
struct Daemon: Sendable {
    let provider = FakeProvider()
    let accounts: AccountService
    let outbox: OutboxService

    static func with(_ body: (Daemon) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "pages-\(UUID())").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let store = try await StateStore.open(StateStoreConfiguration(directory: directory), logger: logger)
        do {
            try await body(Daemon(store: store, logger: logger))
        } catch {
            try await store.close()
            throw error
        }
        try await store.close()
    }

    private init(store: StateStore, logger: Logger) {
        accounts = AccountService(provider: provider, store: store, logger: logger)
        outbox = OutboxService(outbox: store.outbox, logger: logger)
    }

    func login(over scene: String? = nil) throws -> Harness<Login> {
        let accounts = accounts
        return try Harness(Login.self) { context in
            if let scene { context.coordinator.push(scene) }
            return Login(
                account: SessionAccount(service: accounts, uid: context.uid),
                coordinator: context.coordinator,
                prompter: context.prompter,
                clock: context.clock
            )
        }
    }

    func mine() throws -> Harness<Mine> {
        let accounts = accounts
        return try Harness(Mine.self) { context in
            Mine(
                account: SessionAccount(service: accounts, uid: context.uid),
                coordinator: context.coordinator,
                prompter: context.prompter,
                clock: context.clock
            )
        }
    }

    func sendList() throws -> Harness<SendList> {
        let (accounts, outbox) = (accounts, outbox)
        return try Harness(SendList.self) { context in
            SendList(
                account: SessionAccount(service: accounts, uid: context.uid),
                outbox: SessionOutbox(service: outbox, uid: context.uid),
                coordinator: context.coordinator,
                clock: context.clock
            )
        }
    }

    func signIn() async throws {
        _ = try await accounts.signIn(Credentials(account: "ada", password: "correct horse"), of: 1000)
    }
}
