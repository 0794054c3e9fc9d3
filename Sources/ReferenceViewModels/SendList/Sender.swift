import Accounts
import ViewModelKit
import ViewModelProtocol

/// The sender of outbox messages to the backend.
///
/// Every claimed message gets an outcome: sent, failed or queued.
///
/// Isolation: confined to its session.
final class Sender {
    private static let attempts = 4
    private let account: SessionAccount
    private let outbox: SessionOutbox
    private let clock: SessionClock

    init(account: SessionAccount, outbox: SessionOutbox, clock: SessionClock) {
        self.account = account
        self.outbox = outbox
        self.clock = clock
    }

    /// Sends the queued messages, and those that had failed before the call.
    func sendAll(_ execution: Execution) async throws -> SendList.Sent {
        execution.progress = 0
        try await outbox.service.queueFailed(of: outbox.uid)
        var result = SendList.Sent()
        while let message = try await claimNext() {
            outbox.updateNow()
            if try await deliver(message) == .sent { result.sent += 1 } else { result.failed += 1 }
            let done = result.sent + result.failed
            let left = outbox.messages.untracked.count { $0.status == .queued }
            execution.progress = Double(done) / Double(done + left)
        }
        outbox.updateNow()
        return result
    }

    private func claimNext() async throws -> OutboxMessage? {
        try Task.checkCancellation()
        return try await outbox.service.claim(of: outbox.uid)
    }

    /// Sends one failed message, or only queues it while the user is signed out.
    func retry(_ item: SendList.ItemID) async throws -> SendList.Retried {
        guard let message = try await outbox.service.claimFailed(item.id, of: outbox.uid) else {
            throw InvalidValue(path: "/id", expected: "the id of a failed item", found: item.id)
        }
        outbox.updateNow()
        guard account.snapshot.untracked.state == .signedIn else {
            try await finish(message, .queued(problem: nil))
            return SendList.Retried(status: .queued)
        }
        return SendList.Retried(status: try await deliver(message))
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
            throw error.failure
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
