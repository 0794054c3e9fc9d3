import ViewModelKit
import ViewModelProtocol
import ViewModelStorage

extension StoreError {
    /// The error that a session's clients get: the failure `storeUnavailable` while the store cannot be reached or written
    /// (protocol, section 4), else the error itself, which is an incident.
    var forSession: any Error {
        guard isUnavailable else { return self }
        let message = ProtocolError.storeUnavailable.message
        var failure = ActionFailure("storeUnavailable", message: message, retryable: true)
        failure.isForgotten = true
        return failure
    }
}
