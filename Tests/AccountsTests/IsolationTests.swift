import Dispatch
import PostgresSupport
import TestSupport
import Testing
import ViewModelKit
import ViewModelStorage

@testable import Accounts

@Suite struct `Errors of the services` {
    private typealias Calls = [(String, @Sendable () async throws -> Void)]

    @Test func `return to the session that made the call`() async throws {
        let directory = try TemporaryDirectory()
        let logger = AccountFixture.logger
        let store = try await TestStore.open(in: directory.path, logger: logger)
        let provider = NumberedProvider(
            onPage: { throw AccountError(.unreachable, "no") },
            onDelivery: { _, _ in throw AccountError(.unreachable, "no") }
        )
        let accounts = AccountService(provider: provider, store: store, logger: logger)
        let outbox = accounts.outboxes
        let uid = AccountFixture.ada
        let wrong: Password = "correct horse"
        let local = LocalProvider(accounts: store.accounts)
        let hasher = PasswordHasher(cost: .init(rounds: 3, blockSize: 1, parallelism: 1))
        let http = try HTTPProvider(url: "http://127.0.0.1:1", timeout: .seconds(60))
        let oauth = try OAuthProvider(
            configuration: OAuthConfiguration(issuer: "http://127.0.0.1:1", clientID: "c", passwordGrant: true),
            timeout: .seconds(60)
        )
        let caller = CallingSession()
        try await accounts.run {
            // A claimed item and a stored token lead the calls as far as they can get.
            _ = try await outbox[uid].add("hello")
            let claimed = try #require(try await outbox[uid].claim())
            let token = VaultToken(access: Password("token"), account: "ada")
            try await store.vault.store(token, of: uid, provider: provider.name)
            let withStore: Calls = [
                ("signIn", { _ = try await accounts[uid].signIn("ada", password: wrong) }),
                (
                    "register",
                    { _ = try await accounts.provider.register("ada", password: wrong, nickname: nil, for: uid) }
                ),
                ("autoLogin", { _ = try await accounts[uid].autoLogin() }),
                ("deliver", { try await accounts[uid].deliver("hello", key: "k") }),
                (
                    "withToken",
                    {
                        _ = try await accounts[uid].withToken { _ in
                            #expect(CallingSession.isCurrent, "the request runs elsewhere")
                            throw AccountError(.rejected, "no")
                        }
                    }
                ),
                ("beginDevice", { _ = try await accounts[uid].beginDevice() }),
                ("poll", { _ = try await accounts[uid].poll(.sample()) }),
            ]
            let withoutStore: Calls = [
                ("signOut", { try await accounts[uid].signOut() }),
                ("add", { _ = try await outbox[uid].add("more") }),
                ("queueFailed", { try await outbox[uid].queueFailed() }),
                ("claimFailed", { _ = try await outbox[uid].claimFailed(claimed.id) }),
                ("claim", { _ = try await outbox[uid].claim() }),
                ("countAttempt", { try await outbox[uid].countAttempt(claimed.id) }),
                ("finish", { try await outbox[uid].finish(claimed.id, .sent) }),
                ("token", { _ = try await store.vault.token(of: uid, provider: provider.name) }),
                ("remove", { try await store.vaultRecords.remove(of: uid, provider: provider.name) }),
                ("cache", { try await store.cache.remove(of: uid) }),
                ("accounts", { _ = try await store.accounts.account(named: "ada") }),
                ("local", { _ = try await local.signIn("ada", password: wrong, for: uid) }),
                ("hash", { _ = try await hasher.hash("correct horse", for: uid) }),
                ("http", { _ = try await http.signIn("ada", password: wrong, for: uid) }),
                ("oauth", { _ = try await oauth.signIn("ada", password: wrong, for: uid) }),
            ]
            for (name, call) in withStore { await caller.expectFailure(name, call) }
            try await store.close()
            for (name, call) in withoutStore { await caller.expectFailure(name, call) }
            await http.shutDown()
            await oauth.shutDown()
        }
        withExtendedLifetime(directory) {}
    }
}

/// An actor with an executor of its own, as a session has its event loop.
private actor CallingSession {
    private static let key = DispatchSpecificKey<Bool>()
    private let queue: SessionQueue

    init() {
        queue = SessionQueue()
        queue.queue.setSpecific(key: Self.key, value: true)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// Whether the caller runs on such an actor.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    /// Makes a call that must fail, and sees where its error arrives.
    func expectFailure(_ name: String, _ call: @Sendable () async throws -> Void) async {
        do {
            try await call()
            Issue.record("\(name) succeeded")
        } catch {
            #expect(Self.isCurrent, "\(name) failed elsewhere with \(error)")
        }
    }
}

private final class SessionQueue: SerialExecutor {
    let queue = DispatchQueue(label: "session")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
