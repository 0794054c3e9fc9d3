public import ViewModelKit
import ViewModelProtocol
public import ViewModelStorage

/// How many messages a call of ``SessionOutbox/send(_:retryingFailed:attempts:deliver:)`` has delivered.
@Schemable
public struct OutboxDelivery: Hashable, Sendable {
    /// The number of delivered messages.
    public internal(set) var sent = 0
    /// The number of messages that have failed.
    public internal(set) var failed = 0
}

extension SessionOutbox {
    /// Delivers the queued messages one after the other, oldest first, until none waits.
    ///
    ///     try await outbox.send(execution) { try await account.deliver($0) }
    ///     try await outbox.send { message in try await server.post(message.text, key: message.id) }
    ///
    /// The error that `deliver` throws decides about the message:
    ///
    /// | error | the message |
    /// | --- | --- |
    /// | a failure that is `retryable`, such as `AccountError` with `.unreachable` | is tried again after 1, 2, 4 … 30 seconds, and `failed` after the last attempt |
    /// | `AccountError` with `.signedOut` | is queued, and the error ends this call |
    /// | another failure (`AccountError`, `@Failure`, `ActionFailure`) | is `failed`, and the next one follows |
    /// | any other error, also `CancellationError` | is queued, and the error ends this call |
    ///
    /// Two sessions that send share the work: each message is delivered by one of them. It is unknown whether a server
    /// has got a message whose delivery was interrupted. Send the message's id as a key, so that the server can ignore
    /// a repetition.
    ///
    /// Messages that are added meanwhile are delivered too. An action with the policy `.shared` can therefore be run
    /// after each ``add(_:retryKey:)``.
    ///
    /// - Parameters:
    ///   - execution: the execution of the action, which gets the progress.
    ///   - retryingFailed: whether failed messages are queued again first.
    ///   - attempts: the maximum number of attempts for a message, at least 1. Later messages wait meanwhile.
    ///   - deliver: makes one attempt to deliver a message. It runs on the session.
    /// - Returns: the numbers of messages.
    /// - Throws: an error that ends the call, or an error of the store.
    @discardableResult
    public func send(
        _ execution: Execution? = nil,
        retryingFailed: Bool = false,
        attempts: Int = 4,
        deliver: (OutboxMessage) async throws -> Void
    ) async throws -> OutboxDelivery {
        execution?.progress = 0
        if retryingFailed { try await updated { try await outbox.queueFailed() } }
        var result = OutboxDelivery()
        while let message = try await claimNext() {
            switch try await finish(message, in: attempts, with: deliver) {
            case .sent: result.sent += 1
            case .failed: result.failed += 1
            // Another daemon has claimed it.
            default: continue
            }
            let done = result.sent + result.failed
            execution?.progress = Double(done) / Double(done + queued)
        }
        return result
    }

    /// Queues a failed message again; the next ``send(_:retryingFailed:attempts:deliver:)`` delivers it.
    ///
    /// - Parameter id: the message's id.
    /// - Throws: `InvalidValue` if no failed message has this id; an error of the store.
    public func retry(_ id: String) async throws {
        let message = try await claimFailed(id)
        try await finish(message, .queued(problem: nil))
    }

    /// Delivers a failed message at once, with the rules of ``send(_:retryingFailed:attempts:deliver:)``.
    ///
    /// - Parameters:
    ///   - id: the message's id.
    ///   - attempts: the maximum number of attempts, at least 1.
    ///   - deliver: makes one attempt to deliver the message. It runs on the session.
    /// - Returns: the state of the message afterwards.
    /// - Throws: `InvalidValue` if no failed message has this id; an error that ended the delivery, or an error of the
    ///   store.
    @discardableResult
    public func retry(
        _ id: String,
        attempts: Int = 4,
        deliver: (OutboxMessage) async throws -> Void
    ) async throws -> OutboxMessage.Status {
        try await finish(try await claimFailed(id), in: attempts, with: deliver) ?? shown(id)?.status ?? .queued
    }

    // MARK: A claimed message

    /// The error of the store before an attempt.
    private struct AttemptNotCounted: Error {
        let cause: any Error
    }

    // Every claimed message gets an outcome: sent, failed or queued.

    /// Claims the oldest queued message; nil if none is queued.
    private func claimNext() async throws -> OutboxMessage? {
        while true {
            try Task.checkCancellation()
            let revision = outbox.snapshot.revision
            if let message = try await updated({ try await outbox.claim() }) { return message }
            // A caller that has added a message since the claim relies on this call, which is still executing.
            guard outbox.snapshot.revision != revision, queued > 0 else { return nil }
        }
    }

    /// Returns a message as the session shows it.
    private func shown(_ id: String) -> OutboxMessage? { messages.index(of: id).map { messages[$0] } }

    private func claimFailed(_ id: String) async throws -> OutboxMessage {
        guard let message = try await updated({ try await outbox.claimFailed(id) }) else {
            throw InvalidValue(path: "/id", expected: "the id of a failed item", value: id)
        }
        return message
    }

    /// Delivers a claimed message and stores its outcome, sent or failed; nil if another daemon has the message now.
    private func finish(
        _ message: OutboxMessage,
        in attempts: Int,
        with deliver: (OutboxMessage) async throws -> Void
    ) async throws -> OutboxMessage.Status? {
        do {
            guard try await attempt(message, atMost: attempts, with: deliver) else { return nil }
            try await finish(message, .sent)
            return .sent
        } catch let error as AttemptNotCounted {
            try? await finish(message, .queued(problem: shown(message.id)?.problem))
            throw error.cause
        } catch let error as AccountError where error.kind == .signedOut {
            try await finish(message, .queued(problem: error.description))
            throw error
        } catch {
            guard let failure = ActionFailure(expected: error) else {
                // It is unknown whether the server has the message. Its key lets the server detect a repetition.
                try await finish(message, .queued(problem: shown(message.id)?.problem))
                throw error
            }
            try await finish(message, .failed(problem: failure.problem))
            return .failed
        }
    }

    /// Delivers a message; only a retryable failure is followed by another attempt.
    ///
    /// - Returns: false if the claim is lost, because this daemon was stopped for longer than its lease.
    private func attempt(
        _ message: OutboxMessage,
        atMost attempts: Int,
        with deliver: (OutboxMessage) async throws -> Void
    ) async throws -> Bool {
        var backoff = Backoff(maximum: .seconds(30))
        var problem: String?
        var attempt = 1
        while true {
            try Task.checkCancellation()
            let isClaimed: Bool
            do {
                isClaimed = try await updated {
                    try await outbox.countAttempt(message.id, problem: problem)
                }
            } catch {
                throw AttemptNotCounted(cause: error)
            }
            guard isClaimed else { return false }
            do {
                try await deliver(message)
                return true
            } catch {
                guard let failure = ActionFailure(expected: error), failure.retryable, attempt < attempts else {
                    throw error
                }
                problem = failure.problem
                attempt += 1
                let asked = (error as? AccountError)?.retryAfter
                // The delay begins before the problem is shown: a test that sees the problem can advance the time.
                let next = clock.now + backoff.delay(atLeast: asked, chance: clock.chance)
                await showProblem(failure.problem, of: message)
                if next > clock.now { try await clock.sleep(for: next - clock.now) }
            }
        }
    }

    /// Shows why an attempt has failed until the next one begins.
    private func showProblem(_ problem: String, of message: OutboxMessage) async {
        await outbox.showProblem(problem, of: message.id)
        update()
    }

    private func finish(_ message: OutboxMessage, _ outcome: OutboxOutcome) async throws {
        try await updated { try await outbox.finish(message.id, outcome) }
    }
}

extension ActionFailure {
    /// Creates the failure of an error that is one; returns nil for a fault.
    fileprivate init?(expected error: any Error) {
        guard let failure = error as? ActionFailure ?? (error as? any ActionError)?.failure else { return nil }
        self = failure
    }

    /// The reason for people.
    fileprivate var problem: String { message ?? self.error }
}
