package import JSONRPC

/// The refusal of a value that was sent to an input or an action.
///
/// The sender gets -32602 (protocol, section 6).
public struct InvalidValue: Error, Sendable, Equatable {
    /// The location of the fault in the value, as a JSON Pointer: `""` for the value itself, `"/id"` for a member.
    public var path: String
    /// A description of a valid value.
    public var expected: String
    /// A description of the value that was found.
    public var found: String
    /// Valid names, of which the sender gets those that resemble the one found.
    public var suggestions: [String]
    /// The name that resembles ``suggestions``; nil if it is the value that was found.
    package var misspelt: String?
    /// Whether the sender has not sent the value, so that no path leads to it.
    package var isElsewhere = false

    /// Creates a refusal.
    public init(path: String = "", expected: String, found: String, suggestions: [String] = []) {
        self.path = path
        self.expected = expected
        self.found = found
        self.suggestions = suggestions
    }

    /// Creates the refusal of a value that does not fit its schema.
    package init(_ mismatch: ValueMismatch) {
        self.init(
            path: mismatch.path,
            expected: mismatch.expected,
            found: mismatch.found,
            suggestions: mismatch.unknown?.known ?? []
        )
        misspelt = mismatch.unknown?.name
    }

    /// The same refusal without the value that did not fit, because the value may be a secret.
    package var redacted: Self {
        var refusal = self
        if found != ValueMismatch.nothing { refusal.found = "something that is not shown" }
        return refusal
    }

    /// Creates a refusal that shows the value as the daemon's own errors do: its JSON text, cut after 40 characters.
    ///
    /// A text has quotes, so that `"5"` differs from `5`. Do not pass a secret: the sender's tools may log the error.
    public init(path: String = "", expected: String, value: some Encodable, suggestions: [String] = []) {
        let found = ValueMismatch.describe(encoded: value)
        self.init(path: path, expected: expected, found: found, suggestions: suggestions)
    }
}

/// The expected failure of an action.
///
/// Its callers get -32000 with these facts (protocol, section 2). Declare the failures of an action with ``Failure()``.
/// Throw an `ActionFailure` if its name is known at run time only.
public struct ActionFailure: Error, Sendable, Equatable {
    /// A stable name for programs, such as `invalidCredentials`.
    public var error: String
    /// A sentence for people.
    ///
    /// Without one, the message is "The action failed".
    public var message: String?
    /// More facts that may be shown, or nil.
    public var details: JSON?
    /// Whether the same call may succeed later.
    public var retryable: Bool
    /// Whether a repeated call with the same retry key runs again, because the body could not do its work at all.
    package var isForgotten = false

    /// Creates a failure.
    public init(_ error: String, message: String? = nil, details: JSON? = nil, retryable: Bool = false) {
        self.error = error
        self.message = message
        self.details = details
        self.retryable = retryable
    }
}

/// An error for an input or an action that would exceed a limit.
///
/// The caller gets -32006 (protocol, section 2).
public struct LimitExceeded: Error, Sendable, Equatable {
    /// The limit's key in the configuration, such as `limits.outboxItemsPerUser`.
    public var limit: String
    /// The limit's value.
    public var value: Int

    /// Creates an error for a limit.
    public init(limit: String, value: Int) {
        self.limit = limit
        self.value = value
    }
}
