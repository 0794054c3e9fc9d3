public import ViewModelStore

/// The configuration of the daemon as a client of an OAuth provider.
public struct OAuthConfiguration: Sendable {
    /// The issuer's address, from which the endpoints are discovered.
    public var issuer: String
    /// The client's id.
    public var clientID: String
    /// The client's secret; nil for a public client.
    public var clientSecret: Secret?
    /// The requested OAuth scopes, separated by spaces.
    public var scopes: String
    /// Whether the password grant is allowed.
    public var passwordGrant: Bool
    /// The address of the backend that accepts messages; nil without one.
    public var messagesURL: String?

    /// Creates a configuration.
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
