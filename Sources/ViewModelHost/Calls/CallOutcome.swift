import ViewModelKit
import ViewModelProtocol

/// What became of a call at the moment when its step has ended.
enum CallOutcome {
    case replied(Reply)
    /// An action that goes on; its caller will be told.
    case running(ActionCaller)
}

/// Where the outcome of a running action goes.
typealias Completion = @Sendable (Reply) -> Void

extension ProtocolError {
    /// The error that a caller of an action gets.
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

    /// The refusal of a value that stood at `path` in the params.
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
