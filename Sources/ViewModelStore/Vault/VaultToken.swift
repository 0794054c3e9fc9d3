public import FoundationEssentials

/// The token that a provider issued for a sign-in.
public struct VaultToken: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The access token, which authorizes requests.
    public var access: Secret
    /// The refresh token, which obtains a new access token.
    public var refresh: Secret?
    /// The time at which the access token expires, if the provider sent one.
    public var expiresAt: Date?
    /// The name of the account at the provider.
    public var account: String

    /// Creates a token from its parts.
    public init(access: Secret, refresh: Secret? = nil, expiresAt: Date? = nil, account: String) {
        self.access = access
        self.refresh = refresh
        self.expiresAt = expiresAt
        self.account = account
    }

    /// A constant text that hides the token.
    public var description: String { "<token>" }
    /// A constant text that hides the token.
    public var debugDescription: String { description }
    /// An empty mirror that hides the token from `dump`.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A text that is hidden from logs, interpolation and dumps.
///
/// It is not `Codable`. Code that needs the text reads `revealed`.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text itself, for a request's header or a form.
    ///
    /// Never put it into an output, a log or an error.
    public let revealed: String

    /// Creates a secret from a text.
    public init(_ revealed: String) {
        self.revealed = revealed
    }

    /// A constant text that hides the secret.
    public var description: String { "<secret>" }
    /// A constant text that hides the secret.
    public var debugDescription: String { description }
    /// An empty mirror that hides the secret from `dump`.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
