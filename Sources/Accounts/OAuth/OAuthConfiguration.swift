public import ViewModelStore

/// How the daemon is known to an OAuth provider.
public struct OAuthConfiguration: Sendable {
    /// The issuer's address, from which everything else is discovered.
    public var issuer: String
    /// The client's id.
    public var clientID: String
    /// The client's secret; nil for a public client.
    public var clientSecret: Secret?
    /// What is asked for, separated by spaces.
    public var scopes: String
    /// Whether passwords may be exchanged for tokens.
    public var passwordGrant: Bool
    /// Where messages go; nil where nothing takes them.
    public var messagesURL: String?

    /// Makes a configuration.
    public init(
        issuer: String,
        clientID: String,
        clientSecret: Secret? = nil,
        scopes: String = "openid profile offline_access",
        passwordGrant: Bool = false,
        messagesURL: String? = nil
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.scopes = scopes
        self.passwordGrant = passwordGrant
        self.messagesURL = messagesURL
    }
}
