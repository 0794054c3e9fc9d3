public import FoundationEssentials

/// What a provider gave for a sign-in.
public struct VaultToken: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What requests are authorized with.
    public var access: Secret
    /// What a new access token is got with.
    public var refresh: Secret?
    /// When the access token ends, if the provider said so.
    public var expiresAt: Date?
    /// Whom it is for, as the provider calls them.
    public var account: String

    /// A token.
    public init(access: Secret, refresh: Secret? = nil, expiresAt: Date? = nil, account: String) {
        self.access = access
        self.refresh = refresh
        self.expiresAt = expiresAt
        self.account = account
    }

    /// Says that there is one, whatever it is.
    public var description: String { "<token>" }
    /// Says that there is one, whatever it is.
    public var debugDescription: String { description }
    /// Shows nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
