package import ViewModelStore

/// The configuration of the daemon as a client of an OAuth provider.
package struct OAuthConfiguration: Sendable {
    /// The issuer's address, from which the endpoints are discovered.
    package var issuer: String
    /// The client's id.
    package var clientID: String
    /// The client's secret; nil for a public client.
    package var clientSecret: Secret?
    /// The requested OAuth scopes, separated by spaces.
    package var scopes: String
    /// Whether the password grant is allowed.
    package var passwordGrant: Bool
    /// The address of the backend that accepts messages; nil without one.
    package var messagesURL: String?

    /// Creates a configuration.
    package init(
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
