import ViewModelKit
import ViewModelProtocol

/// The outcome of an action as it is saved for a retry key.
struct SavedOutcome: Codable {
    private enum Kind: String, Codable {
        case success, failure, invalid, fault, cancelled, deadline, limit
    }

    private let kind: Kind
    /// The JSON text of a result.
    private var json: String?
    private var details: JSON?
    /// The name of a failure or of a limit, the path of an invalid value, or an incident.
    private var name: String?
    /// The message of a failure, or the valid values.
    private var text: String?
    /// The value that was found.
    private var found: String?
    private var retryable: Bool?
    /// The milliseconds of a deadline, or the value of a limit.
    private var number: Int?
}

extension SavedOutcome {
    /// Creates the saved form of an outcome, without what may be a secret.
    init(_ outcome: ActionOutcome, of member: KeyedMember) {
        switch outcome {
        case .success where member.returnsSecret:
            let text = "The action was carried out. Its result is a secret, which is not saved"
            self.init(kind: .failure, name: "resultNotKept", text: text)
        case .success(let result): self.init(kind: .success, json: String(decoding: result, as: UTF8.self))
        case .failure(let failure):
            let details = member.takesSecret || member.returnsSecret ? nil : failure.details
            let (name, text, retryable) = (failure.error, failure.message, failure.retryable)
            self.init(kind: .failure, details: details, name: name, text: text, retryable: retryable)
        case .invalid(let invalid):
            let shown = member.takesSecret ? invalid.redacted : invalid
            self.init(kind: .invalid, name: shown.path, text: shown.expected, found: shown.found)
        case .fault(let incident): self.init(kind: .fault, name: incident)
        case .deadlinePassed(let milliseconds): self.init(kind: .deadline, number: milliseconds)
        case .limitExceeded(let limit, let value): self.init(kind: .limit, name: limit, number: value)
        // Refusals are not remembered.
        case .cancelled, .disabled, .executing: self.init(kind: .cancelled)
        }
    }

    var outcome: ActionOutcome {
        switch kind {
        case .success: .success(Array((json ?? "null").utf8))
        case .failure:
            .failure(ActionFailure(name ?? "", message: text, details: details, retryable: retryable ?? false))
        case .invalid: .invalid(InvalidValue(path: name ?? "", expected: text ?? "", found: found ?? ""))
        case .fault: .fault(incident: name ?? "")
        case .cancelled: .cancelled
        case .deadline: .deadlinePassed(milliseconds: number ?? 0)
        case .limit: .limitExceeded(limit: name ?? "", value: number ?? 0)
        }
    }
}
