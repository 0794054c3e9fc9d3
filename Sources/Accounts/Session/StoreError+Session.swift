import ViewModelKit
import ViewModelProtocol
import ViewModelStorage

/// Runs a part of a session that uses the store.
///
/// While the store cannot be reached or written, the clients of the session get the failure `storeUnavailable` (protocol,
/// section 4). Any other error of the store is an incident.
func reportingStore<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
        return try await body()
    } catch let error as StoreError where error.isUnavailable {
        let message = ProtocolError.storeUnavailable.message
        var failure = ActionFailure("storeUnavailable", message: message, retryable: true)
        failure.isForgotten = true
        throw failure
    }
}
