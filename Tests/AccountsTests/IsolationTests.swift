import Dispatch
import Foundation
import Logging
import PostgresSupport
import TestSupport
import Testing
import ViewModelKit
import ViewModelStorage

@testable import Accounts

@Suite struct `Errors of the services` {
    @Test func `return to the session that made the call`() async throws {
        let directory = try TemporaryDirectory()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let store = try await TestStore.open(in: directory.path, logger: logger)
        let accounts = AccountService(provider: RefusingProvider(), store: store, logger: logger)
        let outbox = OutboxService(outbox: store.outbox, logger: logger)
        let uid: UInt32 = 1000
        let caller = CallingSession()
        try await accounts.run {
            try await outbox.run {
                // A claimed item and a stored token lead the calls as far as they can get.
                _ = try await outbox.add("hello", of: uid)
                let claimed = try #require(try await outbox.claim(of: uid))
                let token = VaultToken(access: Secret("token"), account: "ada")
                try await store.vault.store(token, of: uid, provider: "refusing")

                let credentials = Credentials(account: "ada", password: "correct horse")
                await caller.expectFailure("signIn") { _ = try await accounts.signIn(credentials, of: uid) }
                await caller.expectFailure("register") {
                    _ = try await accounts.register(credentials, nickname: nil, of: uid)
                }
                await caller.expectFailure("autoLogin") { _ = try await accounts.autoLogin(of: uid) }
                await caller.expectFailure("deliver") { try await accounts.deliver("hello", key: "k", of: uid) }
                await caller.expectFailure("withToken") {
                    try await accounts.withToken(of: uid) { _ in
                        #expect(CallingSession.isCurrent, "the request runs elsewhere")
                        throw AccountError(.rejected, "no")
                    }
                }
                await caller.expectFailure("beginDevice") { _ = try await accounts.beginDevice(of: uid) }
                await caller.expectFailure("poll") { _ = try await accounts.poll(RefusingProvider.grant, of: uid) }

                try await store.close()
                await caller.expectFailure("signOut") { try await accounts.signOut(of: uid) }
                await caller.expectFailure("add") { _ = try await outbox.add("more", of: uid) }
                await caller.expectFailure("queueFailed") { try await outbox.queueFailed(of: uid) }
                await caller.expectFailure("claimFailed") { _ = try await outbox.claimFailed(claimed.id, of: uid) }
                await caller.expectFailure("claim") { _ = try await outbox.claim(of: uid) }
                await caller.expectFailure("countAttempt") { try await outbox.countAttempt(claimed.id, of: uid) }
                await caller.expectFailure("finish") { try await outbox.finish(claimed.id, of: uid, .sent) }
                await caller.expectFailure("vault") { _ = try await store.vault.token(of: uid, provider: "refusing") }
                await caller.expectFailure("vault") { try await store.vault.remove(of: uid, provider: "refusing") }
                await caller.expectFailure("cache") { try await store.cache.remove(of: uid) }
                await caller.expectFailure("accounts") { _ = try await store.accounts.account(named: "ada") }
                let local = LocalProvider(accounts: store.accounts)
                await caller.expectFailure("local") { _ = try await local.signIn(credentials, for: uid) }
                let hasher = PasswordHasher(cost: .init(rounds: 3, blockSize: 1, parallelism: 1))
                await caller.expectFailure("hash") { _ = try await hasher.hash("correct horse", for: uid) }
                let http = try HTTPProvider(url: "http://127.0.0.1:1", timeout: .seconds(60))
                await caller.expectFailure("http") { _ = try await http.signIn(credentials, for: uid) }
                await http.shutDown()
                let oauth = try OAuthProvider(
                    configuration: OAuthConfiguration(issuer: "http://127.0.0.1:1", clientID: "c", passwordGrant: true),
                    timeout: .seconds(60)
                )
                await caller.expectFailure("oauth") { _ = try await oauth.signIn(credentials, for: uid) }
                await oauth.shutDown()
            }
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

/// Refuses everything.
private struct RefusingProvider: AccountProvider {
    static let grant = DeviceGrant(
        prompt: DevicePrompt(
            userCode: "ABCD",
            verificationUri: "https://id.example/device",
            verificationUriComplete: nil,
            expiresAt: Date(timeIntervalSinceNow: 600)
        ),
        code: Secret("device")
    )

    var name: String { "refusing" }
    var features: AccountFeatures { AccountFeatures(password: true) }

    func signIn(_ credentials: Credentials, for uid: UInt32) async throws -> SignIn {
        throw AccountError(.invalidCredentials, "no")
    }
    func page(_ token: VaultToken, etag: String?) async throws -> PageResult { throw AccountError(.unreachable, "no") }
    func deliver(_ text: String, key: String, with token: VaultToken) async throws {
        throw AccountError(.unreachable, "no")
    }
}
