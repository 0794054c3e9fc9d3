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
            configuration.clientSecret = try oauth.clientSecretFile.map { try Self.clientSecret(in: $0.rawValue) }
            configuration.scopes = oauth.scopes.rawValue
            configuration.passwordGrant = oauth.passwordGrant
            configuration.messagesURL = url?.rawValue
            return try OAuthProvider(configuration: configuration, timeout: timeout)
        }
    }

    /// Reads the client secret without trailing white space, such as the line feed that editors append.
    private static func clientSecret(in path: String) throws -> Password {
        let credentials = ProcessText.variables["CREDENTIALS_DIRECTORY"]
        let isCredential = SecretFile.isCredential(path, in: credentials)
        do throws(SecretFile.Problem) {
            let content = try SecretFile.read(path, atMost: longestClientSecret, isCredential: isCredential)
            let text = String(decoding: content, as: UTF8.self)
            let secret = String(text.reversed().drop(while: \.isWhitespace).reversed())
            guard !secret.isEmpty, content.count <= longestClientSecret else {
                let expected = "a client secret of at most \(longestClientSecret) bytes"
                throw SecretFile.Problem(description: "does not contain \(expected). Write it into the file")
            }
            return Password(secret)
        } catch {
            throw ConfigurationError(
                problems: [
                    .init(location: .init(source: "account.oauth.clientSecretFile"), message: "\(path) \(error)")
                ]
            )
        }
    }

    /// The largest size of the client secret's file in bytes.
    private static var longestClientSecret: Int { 4096 }
}
