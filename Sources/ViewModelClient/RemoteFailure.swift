public import ViewModelProtocol

/// The failure of an action: the data of error -32000 (protocol, section 2).
public struct RemoteFailure: Equatable, Sendable {
    /// The stable name, for example `invalidCredentials`.
    public var error: String
    /// The failure in one line, for people.
    public var message: String
    /// The details, in the form that the action declares; null without details.
    public var details: JSONValue
    /// Whether the same call may succeed later.
    public var isRetryable: Bool
    /// The action that failed, without its instance, for example `submit`.
    public var action: String?
}

extension ClientError {
    /// The failure of the action, if that is the error.
    public var failure: RemoteFailure? {
        guard let reply, reply.code == .actionFailed, let error = reply.data?["error"]?.stringValue else { return nil }
        return RemoteFailure(
            error: error,
            message: reply.message,
            details: reply.data?["details"] ?? .null,
            isRetryable: reply.data?["retryable"]?.boolValue ?? false,
            action: method.flatMap { $0.split(separator: ".").last }.map(String.init)
        )
    }

    /// The id of the incident in the daemon's log, if a fault of the daemon is the error (-32603).
    public var incident: String? {
        reply?.data?["incident"]?.stringValue
    }
}
