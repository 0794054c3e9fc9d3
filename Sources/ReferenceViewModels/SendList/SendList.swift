import Accounts
import ViewModelKit
import ViewModelProtocol

/// A list of messages that are kept until the backend has accepted them.
@ViewModel
final class SendList {
    /// The draft: the text that is being typed, at most 65,536 bytes.
    @Field(.session, check: SessionOutbox.checkLength(of:)) var draft = ""
    /// The added messages, oldest first.
    @Output var items: Rows<OutboxMessage> { outbox.messages }

    private static let attempts = 4
    private let account: SessionAccount
    private let outbox: SessionOutbox
    private let coordinator: Coordinator
    private let clock: SessionClock
    private var canAdd: Bool { !draft.allSatisfy(\.isWhitespace) }
    private var canSend: Bool { account.isSignedIn && outbox.hasUnsent }

    init(account: SessionAccount, outbox: SessionOutbox, coordinator: Coordinator, clock: SessionClock) {
        self.account = account
        self.outbox = outbox
        self.coordinator = coordinator
        self.clock = clock
    }

    /// Removes the item with this id, unless it is being sent.
    @Input func remove(_ id: String) throws {
        try outbox.checkRemoval(of: id)
        outbox.remove(id)
    }

    /// Adds the draft to the items and stores it on disk before the reply.
    ///
    /// Enabled while the draft is not blank. Refused beyond `limits.outboxItemsPerUser` and
    /// `limits.outboxBytesPerUser`; sent items do not count.
    @Action(enabled: \SendList.canAdd)
    func add() async throws -> Added {
        let text = draft
        let message = try await outbox.add(text)
        if draft == text { draft = "" }
        return Added(id: message.id)
    }

    /// Sends the queued and the failed items.
    ///
    /// Enabled while there are some and a user is signed in.
    @Action(enabled: \SendList.canSend)
    @Throws(SendFailure.self)
    func send(_ execution: Execution) async throws -> Sent {
        execution.progress = 0
        try await outbox.service.queueFailed(of: outbox.uid)
        var result = Sent()
        while let message = try await claimNext() {
            outbox.updateNow()
            if try await deliver(message) == .sent { result.sent += 1 } else { result.failed += 1 }
            let done = result.sent + result.failed
            let left = outbox.messages.count { $0.status == .queued }
            execution.progress = Double(done) / Double(done + left)
        }
        outbox.updateNow()
        if result.failed == 0 {
            coordinator.present("sent", arguments: .object(["count": .integer(result.sent)]))
        }
        return result
    }

    /// Sends one failed item.
    ///
    /// While the user is signed out, the item is only queued.
    @Action
    @Throws(SendFailure.self)
    func retry(id: String) async throws -> Retried {
        guard let message = try await outbox.service.claimFailed(id, of: outbox.uid) else {
            throw InvalidValue(path: "/id", expected: "the id of a failed item", value: id)
        }
        outbox.updateNow()
        guard account.isSignedIn else {
            try await finish(message, .queued(problem: nil))
            return Retried(status: .queued)
        }
        return Retried(status: try await deliver(message))
    }

    // MARK: Delivery

    // Every claimed message gets an outcome: sent, failed or queued.

    private func claimNext() async throws -> OutboxMessage? {
        try Task.checkCancellation()
        return try await outbox.service.claim(of: outbox.uid)
    }

    /// Delivers a claimed message and stores its outcome.
    private func deliver(_ message: OutboxMessage) async throws -> OutboxMessage.Status {
        do {
            try await attempt(message)
            try await finish(message, .sent)
            return .sent
        } catch let error as AccountError where error.kind == .signedOut {
            try await finish(message, .queued(problem: error.description))
            account.updateNow()
            throw error.declared(as: SendFailure.self)
        } catch let error as AccountError {
            try await finish(message, .failed(problem: error.description))
            return .failed
        } catch {
            // It is unknown whether the backend has the message. Its key lets the backend detect a repetition.
            try await finish(message, .queued(problem: nil))
            throw error
        }
    }

    /// Delivers a message in up to four attempts; only an `unreachable` error is followed by another attempt.
    private func attempt(_ message: OutboxMessage) async throws {
        var backoff = Backoff(maximum: .seconds(30))
        var problem: String?
        var attempt = 1
        while true {
            try Task.checkCancellation()
            try await outbox.service.countAttempt(message.id, of: outbox.uid, problem: problem)
            outbox.updateNow()
            do {
                return try await account.service.deliver(message.text, key: message.id, of: account.uid)
            } catch let error as AccountError where error.kind == .unreachable && attempt < Self.attempts {
                problem = error.description
                attempt += 1
                try await clock.sleep(for: backoff.delay(atLeast: error.retryAfter))
            }
        }
    }

    private func finish(_ message: OutboxMessage, _ outcome: DeliveryOutcome) async throws {
        try await outbox.service.finish(message.id, of: outbox.uid, outcome)
        outbox.updateNow()
    }
}

extension SendList {
    /// The result of `add`.
    @Schemable
    struct Added {
        /// The new item's id.
        let id: String
    }

    /// The result of `send`.
    @Schemable
    struct Sent {
        /// The number of items that the backend accepted.
        var sent = 0
        /// The number of items that failed.
        var failed = 0
    }

    /// The result of `retry`.
    @Schemable
    struct Retried {
        /// The item's status after the attempt.
        let status: OutboxMessage.Status
    }
}
