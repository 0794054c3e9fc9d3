import ViewModelKit
import ViewModelProtocol

/// The outcome of a call at the end of its step.
enum CallOutcome {
    case replied(Reply)
    /// The action continues. Its caller receives the reply later.
    case running(ActionCaller)
}

/// Receives the reply of a running action.
typealias Completion = @Sendable (Reply) -> Void

extension ProtocolError {
    /// Creates the error of an action's outcome; nil for a success.
    init?(_ outcome: ActionOutcome, action: String) {
        switch outcome {
        case .success: return nil
        case .failure(let failure):
            self = .actionFailed(
                error: failure.error,
                details: failure.details.map { .string($0) },
                retryable: failure.retryable,
                message: failure.message
            )
        case .invalid(let invalid): self = .init(invalid, at: "")
        case .fault(let incident): self = .internalError(incident: incident)
        case .cancelled: self = .cancelled
        case .deadlinePassed(let milliseconds): self = .deadlinePassed(deadline: milliseconds)
        case .disabled: self = .disabled(action: action)
        case .executing: self = .executing(action: action)
        case .limitExceeded(let limit, let value): self = .limitExceeded(limit: limit, value: value)
        }
    }

    /// Creates the error for an invalid value at `path` in the params.
    init(_ invalid: InvalidValue, at path: String) {
        self = .invalidParams(
            path: path + invalid.path,
            expected: invalid.expected,
            found: invalid.found,
            suggestions: invalid.suggestions.isEmpty
                ? nil : Suggestions.close(to: invalid.found, among: invalid.suggestions)
        )
    }
}

extension Reply {
    init(_ outcome: ActionOutcome, action: String) {
        if case .success(let text) = outcome {
            self = .result(text)
        } else if let error = ProtocolError(outcome, action: action) {
            self = .error(error)
        } else {
            self = .null
        }
    }
}
