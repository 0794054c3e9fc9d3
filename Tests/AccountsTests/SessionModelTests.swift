import Accounts
import AccountsTesting
import Synchronization
import Testing
import ViewModelKit
import ViewModelTesting

/// Why a parcel was not taken.
@Failure
private enum ParcelFailure {
    /// The hatch is closed.
    @Retryable case closed
    /// The parcel is too heavy.
    case tooHeavy
}

/// What a test's own delivery and requests do.
private final class Hatch: Sendable {
    struct State {
        var errors: [any Error] = []
        var taken: [String] = []
        var tokens: [String] = []
    }

    let state = Mutex(State())

    func take(_ message: OutboxMessage) async throws {
        try state.withLock { state in
            if !state.errors.isEmpty { throw state.errors.removeFirst() }
            state.taken.append(message.text)
        }
    }

    func ask(_ token: String) async throws -> Int {
        try state.withLock { state in
            state.tokens.append(token)
            if !state.errors.isEmpty { throw state.errors.removeFirst() }
            return state.tokens.count
        }
    }
}

/// Uses the account and the outbox as an author does.
@ViewModel
private final class Parcels {
    @Output var messages: Rows<OutboxMessage> { outbox.messages }
    @Output var user: String? { account.page?.account }
    @Output var isStale: Bool { account.isStale }

    private let account: SessionAccount
    private let outbox: SessionOutbox
    private let hatch: Hatch

    init(account: SessionAccount, outbox: SessionOutbox, hatch: Hatch) {
        self.account = account
        self.outbox = outbox
        self.hatch = hatch
    }

    @Action(.queued)
    func add(_ text: String) async throws -> String {
        let message = try await outbox.add(text)
        $send.run()
        return message.id
    }

    @Action
    func addNumber(_ number: Int) async throws -> Int {
        try await outbox.add(encoding: ["number": number]).decoded(as: [String: Int].self)["number"] ?? 0
    }

    @Action
    func addPair(_ execution: Execution) async throws -> String {
        let pair = ["length": "7", "weight": "9", "depth": "8", "height": "6", "colour": "red"]
        return try await outbox.add(encoding: pair, retryKey: execution.retryKey).text
    }

    /// Delivers until it is cancelled.
    @Action
    func sendPatiently() async throws {
        try await outbox.send(attempts: .max) { try await hatch.take($0) }
    }

    @Action(.shared)
    @Throws(AccountError.self)
    func send() async throws -> OutboxDelivery { try await outbox.send { try await hatch.take($0) } }

    @Action
    func retry(id: String) async throws { try await outbox.retry(id) }

    @Action
    @Throws(AccountError.self)
    func signIn(_ name: String) async throws -> AccountPage {
        try await account.signIn(name, password: "correct horse")
    }

    @Action
    @Throws(AccountError.self)
    func ask() async throws -> Int { try await account.withToken { try await hatch.ask($0.revealed) } }

    @Action
    @Throws(AccountError.self)
    func refresh() async throws -> AccountPage? { try await account.refresh() }

    @Input func remove(_ id: String) throws { try outbox.remove(id) }
}

@Suite(.timeLimit(.minutes(5))) struct `The models of the session` {
    private let hatch = Hatch()

    private func with(_ body: (TestAccounts, Harness<Parcels>) async throws -> Void) async throws {
        try await TestAccounts.run(outboxItemsPerUser: 3) { test in
            test.add(AccountPage(account: "ada"), password: "correct horse")
            try await body(test, Harness(Parcels.self, providing: test.accounts, hatch))
        }
    }

    private func fail(with errors: any Error...) {
        hatch.state.withLock { $0.errors = errors }
    }

    private func statuses(_ parcels: Harness<Parcels>) throws -> [OutboxMessage.Status] {
        try parcels.read(\.outputs.messages).map(\.status)
    }

    @Test func `a message that is added while others are sent is sent too`() async throws {
        try await with { _, parcels in
            // The addition must meet the end of the delivery, so there are many of both.
            for round in 1...30 {
                let calls = try (1...3).map { try parcels.start(\.actions.add, "\(round) \($0)") }
                for call in calls { _ = try await call.answered() }
                try await parcels.wait { try statuses(parcels).allSatisfy { $0 == .sent } }
            }
            #expect(hatch.state.withLock { $0.taken } == (1...30).flatMap { round in (1...3).map { "\(round) \($0)" } })
        }
    }

    @Test func `the error of a delivery decides about the message`() async throws {
        try await with { _, parcels in
            fail(with: ParcelFailure.tooHeavy)
            _ = try await parcels.start(\.actions.add, "heavy").answered()
            try await parcels.wait { try statuses(parcels) == [.failed] }
            let heavy = try #require(try parcels.read(\.outputs.messages).first)
            #expect(heavy.problem == "The parcel is too heavy." && heavy.attempts == 1)

            // A later call leaves what has failed alone.
            _ = try await parcels.start(\.actions.send).answered()
            #expect(try statuses(parcels) == [.failed])

            fail(with: ParcelFailure.closed, ActionFailure("busy", message: "Busy", retryable: true))
            _ = try await parcels.start(\.actions.retry, .init(id: heavy.id)).answered()
            #expect(try statuses(parcels) == [.queued])
            let call = parcels.start(\.actions.send)
            for left in [1, 0] {
                // The delay begins with the error.
                try await parcels.wait { hatch.state.withLock { $0.errors.count } == left }
                parcels.advance(by: .seconds(30))
            }
            #expect(try await call.answered() == .result(["sent": 1, "failed": 0]))
            #expect(try parcels.read(\.outputs.messages).first?.attempts == 3)
        }
    }

    @Test func `a delivery makes as many attempts as it is given`() async throws {
        try await with { _, parcels in
            fail(with: ParcelFailure.tooHeavy)
            _ = try await parcels.start(\.actions.add, "one").answered()
            try await parcels.wait { try statuses(parcels) == [.failed] }
            _ = try await parcels.start(\.actions.retry, .init(id: parcels.read(\.outputs.messages)[0].id)).answered()

            hatch.state.withLock { $0.errors = Array(repeating: ParcelFailure.closed, count: 20) }
            let call = parcels.start(\.actions.sendPatiently)
            for left in (0..<20).reversed() {
                try await parcels.wait { hatch.state.withLock { $0.errors.count } == left }
                try await parcels.wait {
                    let message = try parcels.read(\.outputs.messages).first
                    return message?.status == .sending && message?.problem == "The hatch is closed."
                }
                parcels.advance(by: .seconds(30))
            }
            #expect(try await call.answered() == .result(.null))
            #expect(try statuses(parcels) == [.sent])
        }
    }

    @Test func `a value that is added again with a retry key has the id of the first one`() async throws {
        try await TestAccounts.run { test in
            var ids: Set<String> = []
            for others in [["other"], []] {
                // The daemon has died before it saved the reply, and the instance that made the outbox was closed.
                var catalog = ViewModelCatalog()
                catalog.provide(test.accounts)
                catalog.provide(hatch)
                try catalog.host(Parcels.self)
                let session = SessionHarness(catalog)
                for id in others { _ = try session.open(Parcels.self, id: id) }
                let parcels = try session.open(Parcels.self)
                let answer = try await parcels.start(\.actions.addPair, key: "k").answered()
                #expect(
                    answer == .result(#"{"colour":"red","depth":"8","height":"6","length":"7","weight":"9"}"#)
                )
                try await parcels.wait { try parcels.read(\.outputs.messages).count == 1 }
                ids.formUnion(try parcels.read(\.outputs.messages).map(\.id))
            }
            #expect(ids.count == 1)
        }
    }

    @Test func `a test may begin with a user who is signed in`() async throws {
        try await TestAccounts.run(signedIn: AccountPage(account: "ada")) { test in
            let parcels = try Harness(Parcels.self, providing: test.accounts, hatch)
            #expect(try parcels.read(\.outputs.user) == "ada")
            #expect(try await parcels.start(\.actions.ask).answered() == .result(1))
        }
    }

    @Test func `a signed-out user and a fault keep the message and end the call`() async throws {
        try await with { _, parcels in
            struct Fault: Error {}
            fail(with: AccountError(.signedOut, "Sign in"))
            _ = try await parcels.start(\.actions.add, "one").answered()
            try await parcels.wait { try parcels.read(\.outputs.messages).first?.problem == "Sign in" }
            #expect(try statuses(parcels) == [.queued])
            fail(with: Fault())
            guard case .fault = try await parcels.start(\.actions.send).answered() else {
                Issue.record("a fault is not a failure")
                return
            }
            #expect(try statuses(parcels) == [.queued])
            #expect(hatch.state.withLock { $0.taken } == [])
        }
    }

    @Test func `messages are removed, bounded and decoded`() async throws {
        try await with { _, parcels in
            for number in 7...9 {
                #expect(try await parcels.start(\.actions.addNumber, number).answered() == .result(.integer(number)))
            }
            let full = try await parcels.start(\.actions.addNumber, 10).answered()
            #expect(full == .limitExceeded(LimitExceeded(limit: "limits.outboxItemsPerUser", value: 3)))
            let first = try #require(try parcels.read(\.outputs.messages).first)
            try parcels.send(\.inputs.remove, first.id)
            #expect(try statuses(parcels).count == 2)
            #expect(throws: InvalidValue.self) { try parcels.send(\.inputs.remove, first.id) }
            let long = String(repeating: "x", count: SessionOutbox.maximumBytes + 1)
            guard case .invalid = try await parcels.start(\.actions.retry, .init(id: first.id)).answered(),
                case .invalid = try await parcels.start(\.actions.add, long).answered()
            else {
                Issue.record("an unknown message was sent, or a long text was added")
                return
            }
        }
    }

    @Test func `a request gets the user's token, and a refused one signs out`() async throws {
        try await with { _, parcels in
            let signedOut = try await parcels.start(\.actions.ask).answered()
            #expect(signedOut == .failure(AccountError(.signedOut, "Nobody is signed in").failure))
            #expect(hatch.state.withLock { $0.tokens } == [], "no request was made")

            _ = try await parcels.start(\.actions.signIn, "ada").answered()
            #expect(try await parcels.start(\.actions.ask).answered() == .result(1))
            #expect(hatch.state.withLock { $0.tokens } == ["1"])

            fail(with: AccountError(.rejected, "no"))
            let rejected = try await parcels.start(\.actions.ask).answered()
            #expect(rejected == .failure(ActionFailure("rejected", message: "no")))
            #expect(try parcels.read(\.outputs.user) == "ada", "only a 401 signs out")

            fail(with: AccountError(.signedOut, "too old"))
            let refused = try await parcels.start(\.actions.ask).answered()
            #expect(refused == .failure(ActionFailure("signedOut", message: "too old")))
            #expect(try parcels.read(\.outputs.user) == nil)
        }
    }

    @Test func `a refresh tells an unreachable provider from a refused token`() async throws {
        try await with { test, parcels in
            #expect(try await parcels.start(\.actions.refresh).answered() == .result(.null))
            _ = try await parcels.start(\.actions.signIn, "ada").answered()
            test.fail(with: AccountError(.unreachable, "down"))
            let down = try await parcels.start(\.actions.refresh).answered()
            #expect(down == .failure(ActionFailure("unreachable", message: "down", retryable: true)))
            #expect(try parcels.read(\.outputs.user) == "ada")
            #expect(try parcels.read(\.outputs.isStale))
            test.fail(with: nil)
            test.revokeTokens()
            let refusal = AccountError(.signedOut, "The account ada has to sign in again").failure
            #expect(try await parcels.start(\.actions.refresh).answered() == .failure(refusal))
            #expect(try parcels.read(\.outputs.user) == nil)
        }
    }

    @Test func `a test account signs in with its password only, and an unknown one does not`() async throws {
        try await with { test, parcels in
            test.add(AccountPage(account: "ada"), password: "another horse")
            for name in ["ada", "bob"] {
                let answer = try await parcels.start(\.actions.signIn, name).answered()
                #expect(answer == .failure(TestAccounts.wrongPassword.failure))
            }
        }
    }

    @Test func `every kind of an account error is in the contract of an action that declares it`() throws {
        let kinds: [AccountError.Kind] = [
            .invalidCredentials, .unreachable, .rejected, .accountTaken, .signedOut, .unsupported,
        ]
        let contract = "\(AccountError.failures)"
        for kind in kinds { #expect(contract.contains("\"\(kind.rawValue)\""), "\(kind)") }
    }
}
