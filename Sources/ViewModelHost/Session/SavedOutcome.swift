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

    /// Creates the saved form of an outcome, without what may be a secret.
    init(_ outcome: ActionOutcome, of member: KeyedMember) {
        switch outcome {
        case .success where member.returnsSecret:
            kind = .failure
            name = "resultNotKept"
            text = "The action was carried out. Its result is a secret, which is not saved"
        case .success(let result):
            kind = .success
            json = String(decoding: result, as: UTF8.self)
        case .failure(let failure):
            kind = .failure
            name = failure.error
            text = failure.message
            details = member.takesSecret || member.returnsSecret ? nil : failure.details
            retryable = failure.retryable
        case .invalid(let invalid):
            kind = .invalid
            let shown = member.takesSecret ? invalid.redacted : invalid
            (name, text, found) = (shown.path, shown.expected, shown.found)
        case .fault(let incident):
            kind = .fault
            name = incident
        case .deadlinePassed(let milliseconds):
            kind = .deadline
            number = milliseconds
        case .limitExceeded(let limit, let value):
            kind = .limit
            (name, number) = (limit, value)
        // Refusals are not remembered.
        case .cancelled, .disabled, .executing: kind = .cancelled
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
