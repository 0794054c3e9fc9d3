import ViewModelKit
import ViewModelStorage

extension StoreError {
    /// The error that a session's clients get: the failure `storeUnavailable` while machines cannot reach the store that
    /// they share (protocol, section 4), else the error itself, which is an incident.
    var forSession: any Error {
        guard kind == .unavailable else { return self }
        var failure = ActionFailure("storeUnavailable", message: "The store cannot be reached", retryable: true)
        failure.isForgotten = true
        return failure
    }
}
