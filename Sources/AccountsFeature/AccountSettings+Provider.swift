import Accounts
import UnixIO
import ViewModelConfiguration
import ViewModelHost
import ViewModelKit
import ViewModelStorage

extension AccountSettings {
    /// Creates the account provider that the configuration selects.
    ///
    /// - Throws: `ConfigurationError` if the client secret cannot be read, or others can read it.
    func makeProvider(over store: any StateStorage) throws -> any AccountProvider {
        let timeout = Duration.seconds(timeoutSeconds)
        switch provider {
        case .local: return LocalProvider(accounts: store.accounts)
        case .http: return try HTTPProvider(url: url?.rawValue ?? "", timeout: timeout)
        case .oauth:
            var configuration = OAuthConfiguration.standard
            configuration.issuer = oauth.issuer?.rawValue
            configuration.clientID = oauth.clientId?.rawValue
            configuration.clientSecret = try oauth.clientSecretFile.map {
                Password(try SecretFile.text(in: $0.rawValue, of: "account.oauth.clientSecretFile"))
            }
            configuration.scopes = oauth.scopes.rawValue
            configuration.passwordGrant = oauth.passwordGrant
            configuration.messagesURL = url?.rawValue
            return try OAuthProvider(configuration: configuration, timeout: timeout)
        }
    }
}
