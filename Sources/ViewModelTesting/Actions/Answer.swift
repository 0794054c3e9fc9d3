public import ViewModelKit

/// The answer that a caller of an action has so far.
public enum Answer: Error, Equatable, Sendable {
    /// The call has no answer, because the action executes or the call is queued.
    case pending
    /// The call cannot return, because its action waits.
    ///
    /// A ``Refusal`` only: start the action with `start`, and then make the event happen.
    case unfinished
    /// The action's result, or null for an action without a result.
    case result(JSONValue)
    /// The action failed (-32000).
    case failure(ActionFailure)
    /// The params were refused (-32602).
    case invalid(InvalidValue)
    /// The call was refused because the action's condition does not hold (-32002).
    case disabled
    /// The call was refused because the action executes and its policy is `exclusive` (-32003).
    case executing
    /// The call was cancelled (-32800).
    case cancelled
    /// The caller's deadline has passed (-32008).
    case deadlinePassed
    /// A limit of the configuration is exceeded (-32006).
    case limitExceeded(LimitExceeded)
    /// The action threw an unexpected error (-32603).
    ///
    /// The text describes the error, which clients never see.
    case fault(String)
}

extension Answer: CustomStringConvertible {
    /// The answer, or what a test does about an action that has to wait.
    public var description: String {
        switch self {
        case .pending: "pending"
        case .unfinished:
            "unfinished: the action waits; after `start`, complete its Effect, call `advance(by:)` or await "
                + "`answered()`. Virtual time passes for `clock.sleep`, and not for `Task.sleep`"
        case .result(let value): "result \(value)"
        case .failure(let failure): "failure \(failure)"
        case .invalid(let invalid): "invalid \(invalid)"
        case .disabled: "disabled"
        case .executing: "executing"
        case .cancelled: "cancelled"
        case .deadlinePassed: "deadline passed"
        case .limitExceeded(let exceeded): "limit exceeded \(exceeded)"
        case .fault(let error): "fault \(error)"
        }
    }
}

/// The reason for a call without a result, unless the action has thrown an expected error.
public typealias Refusal = Answer

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

    /// Returns the result, or throws the error that corresponds to any other answer.
    func value() throws -> JSONValue {
        switch self {
        case .result(let value): return value
        case .failure(let failure): throw failure
        case .invalid(let invalid): throw invalid
        case .limitExceeded(let exceeded): throw exceeded
        case .pending: throw Refusal.unfinished
        default: throw self
        }
    }
}
