/// The expected failure of an action.
///
/// Its callers get -32000 with these facts (protocol, section 2).
public struct ActionFailure: Error, Sendable, Equatable {
    /// A stable name for programs, such as `invalidCredentials`.
    public var error: String
    /// A sentence for people.
    ///
    /// Without one, clients see the name.
    public var message: String?
    /// More facts, as text that may be shown.
    public var details: String?
    /// Whether the same call may succeed later.
    public var retryable: Bool

    /// Creates a failure.
    public init(_ error: String, message: String? = nil, details: String? = nil, retryable: Bool = false) {
        self.error = error
        self.message = message
        self.details = details
        self.retryable = retryable
    }
}
