/// A caller of an action: a client's request or notification.
package final class ActionCaller {
    /// The time after which a caller that stopped waiting is answered, even if the body has not reacted to its
    /// cancellation.
    static var grace: Duration { .milliseconds(100) }

    private var reply: ((ActionOutcome) -> Void)?
    private weak var execution: Execution?
    /// The outcome for a caller that stopped waiting, or nil while it waits.
    private(set) var earlyOutcome: ActionOutcome?
    private var timer: SessionTimer?
    /// Whether a client waits for the outcome.
    ///
    /// False for a notification.
    let isAwaited: Bool
    /// Whether the caller's connection has closed.
    ///
    /// Its execution continues until another caller stops waiting.
    package var isGone = false
    /// The bytes of the call's params.
    ///
    /// It is 0 if they are too few to count.
    let parameterBytes: Int

    /// The retry key.
    let key: String?
    /// The retry key with the digest of the params, once these are decoded.
    var keyed: KeyedCall?
    private let deadline: Int?

    /// Creates a caller.
    ///
    /// - Parameters:
    ///   - key: the retry key.
    ///   - deadline: the deadline in milliseconds on the session's clock.
    ///   - isAwaited: whether a client waits for the outcome.
    ///   - parameterBytes: the bytes of the call's params that count towards `limits.bytesPerUser`.
    ///   - reply: called once, after the commit of the step that produced the outcome.
    package init(
        key: String?,
        deadline: Int?,
        isAwaited: Bool = true,
        parameterBytes: Int = 0,
        reply: @escaping (ActionOutcome) -> Void
    ) {
        self.key = key
        self.deadline = deadline
        self.isAwaited = isAwaited
        self.parameterBytes = parameterBytes
        self.reply = reply
    }

    /// Whether the outcome was delivered.
    package var isAnswered: Bool { reply == nil }

    /// Stops waiting, in a step of its own or as a part of the running one.
    ///
    /// The caller gets `.cancelled`, and the execution is stopped if it has no other caller.
    package func cancel() {
        execution?.action?.graph.step { stopWaiting(with: .cancelled) }
    }

    /// Waits for an execution until the deadline.
    func wait(for execution: Execution, on graph: Graph) {
        self.execution = execution
        guard let deadline, !isAnswered else { return }
        timer = graph.schedule(after: .milliseconds(deadline)) { [weak self] in
            self?.stopWaiting(with: .deadlinePassed(milliseconds: deadline))
        }
    }

    func answer(_ outcome: ActionOutcome) {
        guard let reply else { return }
        self.reply = nil
        timer = nil
        execution = nil
        reply(outcome)
    }

    private func stopWaiting(with outcome: ActionOutcome) {
        guard !isAnswered, earlyOutcome == nil, let execution else { return }
        earlyOutcome = outcome
        execution.remove(self, with: outcome)
        guard !isAnswered else { return }
        // The execution was cancelled. A body that ignores the cancellation must not delay the reply.
        timer = execution.action?.graph.schedule(after: Self.grace) { [weak self] in self?.answer(outcome) }
    }
}

/// The outcome of a call of an action.
package enum ActionOutcome: Sendable, Equatable {
    /// The action's result, as JSON text.
    case success([UInt8])
    case failure(ActionFailure)
    case invalid(InvalidValue)
    /// An unexpected error.
    ///
    /// Clients receive only the incident's id.
    case fault(incident: String)
    case cancelled
    case deadlinePassed(milliseconds: Int)
    /// The call was refused because the action's condition does not hold.
    case disabled
    /// The call was refused because an exclusive action is executing.
    case executing
    /// The call was refused or failed because it exceeds a limit of the configuration.
    case limitExceeded(limit: String, value: Int)

    /// The failure that the ViewModel sees; nil for a success.
    var failure: ActionFailure? {
        switch self {
        case .failure(let failure): failure
        case .invalid(let invalid):
            ActionFailure("invalidValue", message: "Expected \(invalid.expected), found \(invalid.found)")
        case .fault(let incident): ActionFailure("incident", message: "Internal error (\(incident))")
        case .limitExceeded(let limit, let value):
            ActionFailure("limitExceeded", message: "\(limit) is \(value)", retryable: true)
        case .success, .cancelled, .deadlinePassed, .disabled, .executing: nil
        }
    }
}
