import Accounts
import FoundationEssentials
import ViewModelConfiguration
import ViewModelStore

extension DaemonConfiguration.Account {
    /// Makes the provider that accounts live with.
    ///
    /// - Throws: `UnusableURL`; an error of the file system when the client's secret cannot be read.
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

    /// A file's text without the line's end that editors leave.
    private static func text(of path: String) throws -> String {
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        return String(text.reversed().drop(while: \.isWhitespace).reversed())
    }
}
