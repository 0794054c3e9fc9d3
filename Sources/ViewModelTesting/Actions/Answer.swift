public import ViewModelKit

/// What a caller of an action has been told so far.
public enum Answer: Equatable, Sendable {
    /// Nothing yet: the action executes, or the call waits for its turn.
    case pending
    /// The action's result, null where it has none.
    case result(JSONValue)
    /// The action failed (-32000).
    case failure(ActionFailure)
    /// The params were refused (-32602).
    case invalid(InvalidValue)
    /// Refused: the action's condition does not hold (-32002).
    case disabled
    /// Refused: the action executes, and its policy is `exclusive` (-32003).
    case executing
    /// The call was cancelled (-32800).
    case cancelled
    /// The caller's deadline has passed (-32008).
    case deadlinePassed
    /// A limit of the configuration is exceeded (-32006).
    case limitExceeded(LimitExceeded)
    /// The action threw an error that nobody expected (-32603); the error, which clients never see.
    case fault(String)
}

/// Why an action gave no result, where no error of its own says so.
public enum Refusal: Error, Equatable, Sendable {
    /// The action waits for something: begin it with `start`, then let that happen.
    case unfinished
    /// The action's condition does not hold.
    case disabled
    /// The action executes, and its policy is `exclusive`.
    case executing
    /// The call was cancelled.
    case cancelled
    /// The caller's deadline has passed.
    case deadlinePassed
    /// The action threw an error that nobody expected.
    case fault(String)
}

extension Answer {
    init(_ outcome: ActionOutcome, in session: SessionHarness) {
        self =
            switch outcome {
            case .success(let text): .result(JSONValue(text: text) ?? .null)
            case .failure(let failure): .failure(failure)
            case .invalid(let invalid): .invalid(invalid)
            case .fault(let incident): .fault(session.error(of: incident))
            case .cancelled: .cancelled
            case .deadlinePassed: .deadlinePassed
            case .disabled: .disabled
            case .executing: .executing
            case .limitExceeded(let limit, let value): .limitExceeded(LimitExceeded(limit: limit, value: value))
            }
    }

    /// The result's JSON.
    ///
    /// - Throws: what stands for any other answer.
    func value() throws -> JSONValue {
        switch self {
        case .result(let value): return value
        case .failure(let failure): throw failure
        case .invalid(let invalid): throw invalid
        case .limitExceeded(let exceeded): throw exceeded
        case .pending: throw Refusal.unfinished
        case .disabled: throw Refusal.disabled
        case .executing: throw Refusal.executing
        case .cancelled: throw Refusal.cancelled
        case .deadlinePassed: throw Refusal.deadlinePassed
        case .fault(let error): throw Refusal.fault(error)
        }
    }
}
