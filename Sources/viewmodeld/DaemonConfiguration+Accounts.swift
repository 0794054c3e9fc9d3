import Accounts
import FoundationEssentials
import ViewModelConfiguration
import ViewModelStore

extension DaemonConfiguration.Account {
    /// Creates the account provider that the configuration selects.
    ///
    /// - Throws: `UnusableURL` for an invalid address; an error of the file system when the client secret cannot be
    ///   read.
    func makeProvider(over store: StateStore) throws -> any Accounts.AccountProvider {
        let timeout = Duration.seconds(timeoutSeconds)
        switch provider {
        case .local: return LocalProvider(accounts: store.accounts)
        case .http: return try HTTPProvider(url: url ?? "", timeout: timeout)
        case .oauth:
            let configuration = OAuthConfiguration(
                issuer: oauth.issuer ?? "",
                clientID: oauth.clientId ?? "",
                clientSecret: try oauth.clientSecretFile.map { Secret(try Self.text(of: $0)) },
                scopes: oauth.scopes,
                passwordGrant: oauth.passwordGrant,
                messagesURL: url
            )
            return try OAuthProvider(configuration: configuration, timeout: timeout)
        }
    }

    /// Returns a file's text without trailing white space, such as the line feed that editors append.
    private static func text(of path: String) throws -> String {
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        return String(text.reversed().drop(while: \.isWhitespace).reversed())
    }
}
