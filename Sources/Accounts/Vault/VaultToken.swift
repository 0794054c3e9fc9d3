package import FoundationEssentials
package import ViewModelKit

/// The token that a provider issued for a sign-in.
package struct VaultToken: Codable, Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The access token, which authorizes requests.
    package var access: Password
    /// The refresh token, which obtains a new access token.
    package var refresh: Password?
    /// The time at which the access token expires, if the provider sent one, in whole seconds.
    package let expiresAt: Date?
    /// The name of the account at the provider.
    package var account: String

    /// Creates a token from its parts.
    ///
    /// The fraction of the second is cut off. The vault keeps the seconds since 1970, and `Date` counts from 2001: the
    /// conversion changes a fraction, and a stored token must equal the one that is read.
    package init(access: Password, refresh: Password? = nil, expiresAt: Date? = nil, account: String) {
        self.access = access
        self.refresh = refresh
        self.expiresAt = expiresAt.map { Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.down)) }
        self.account = account
    }

    /// A constant text that hides the account.
    package var description: String { "<token>" }
    /// An empty mirror that hides the account from `dump`.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
