package import FoundationEssentials

/// The token that a provider issued for a sign-in.
package struct VaultToken: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The access token, which authorizes requests.
    package var access: Secret
    /// The refresh token, which obtains a new access token.
    package var refresh: Secret?
    /// The time at which the access token expires, if the provider sent one, in whole seconds.
    package let expiresAt: Date?
    /// The name of the account at the provider.
    package var account: String

    /// Creates a token from its parts.
    ///
    /// The fraction of the second is cut off. The vault keeps the seconds since 1970, and `Date` counts from 2001: the
    /// conversion changes a fraction, and a stored token must equal the one that is read.
    package init(access: Secret, refresh: Secret? = nil, expiresAt: Date? = nil, account: String) {
        self.access = access
        self.refresh = refresh
        self.expiresAt = expiresAt.map { Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.down)) }
        self.account = account
    }

    /// A constant text that hides the token.
    package var description: String { "<token>" }
    /// A constant text that hides the token.
    package var debugDescription: String { description }
    /// An empty mirror that hides the token from `dump`.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A text that is hidden from logs, interpolation and dumps.
///
/// It is not `Codable`. Code that needs the text reads `revealed`.
package struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text itself, for a request's header or a form.
    ///
    /// Never put it into an output, a log or an error.
    package let revealed: String

    /// Creates a secret from a text.
    package init(_ revealed: String) {
        self.revealed = revealed
    }

    /// A constant text that hides the secret.
    package var description: String { "<secret>" }
    /// A constant text that hides the secret.
    package var debugDescription: String { description }
    /// An empty mirror that hides the secret from `dump`.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
