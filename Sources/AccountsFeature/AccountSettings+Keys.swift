import Accounts
import ViewModelConfiguration
import ViewModelHost

extension ConfigurationKey {
    static let accounts =
        [
            ConfigurationKey(
                "account.provider",
                \.account.provider,
                .choice,
                isLive: false,
                """
                The provider of the accounts. "local": the daemon itself. "http": a JSON API at account.url. "oauth": an \
                OAuth 2.0 or OpenID provider, see account.oauth.
                """
            ),
            ConfigurationKey(
                "account.url",
                \.account.url,
                .optional(.webAddress),
                isLive: false,
                "The address of the JSON API. The provider \"http\" requires it."
            ),
            ConfigurationKey(
                "account.timeoutSeconds",
                \.account.timeoutSeconds,
                .integer(1...3600),
                isLive: false,
                "The seconds for which the daemon waits for an answer of the provider."
            ),
            ConfigurationKey(
                "account.oauth.issuer",
                \.account.oauth.issuer,
                .optional(.webAddress),
                isLive: false,
                """
                The issuer. The daemon finds the configuration of the provider below this address. The provider "oauth" \
                requires it.
                """
            ),
            ConfigurationKey(
                "account.oauth.clientId",
                \.account.oauth.clientID,
                .optional(.someText),
                isLive: false,
                "The id of this daemon at the provider. The provider \"oauth\" requires it."
            ),
            ConfigurationKey(
                "account.oauth.clientSecretFile",
                \.account.oauth.clientSecretFile,
                .optional(.absolutePath(isEchoed: false)),
                isLive: false,
                "The file with the client secret, if the provider issued one. Only the daemon may be able to read it."
            ),
            ConfigurationKey(
                "account.oauth.scopes",
                \.account.oauth.scopes,
                .scopes,
                isLive: false,
                "The scopes that the daemon requests from the provider."
            ),
            ConfigurationKey(
                "account.oauth.passwordGrant",
                \.account.oauth.passwordGrant,
                .boolean,
                isLive: false,
                "Whether the daemon may send passwords to the provider (RFC 6749, section 4.3). OAuth advises against it."
            ),
            ConfigurationKey(
                "limits.outboxItemsPerUser",
                \.host.limits.outboxItemsPerUser,
                .integer(1...1_048_576),
                "The most unsent messages in the outbox of one user."
            ),
            ConfigurationKey(
                "limits.outboxBytesPerUser",
                \.host.limits.outboxBytesPerUser,
                .integer(1...1 << 40),
                "The most bytes of text in these messages."
            ),
            ConfigurationKey(
                "cache.maximumBytes",
                \.cache.maximumBytes,
                .integer(0...1 << 40),
                "The most bytes of account pages in the cache. The page that was fetched longest ago is removed first."
            ),
            ConfigurationKey(
                "cache.maximumAgeSeconds",
                \.cache.maximumAgeSeconds,
                .integer(0...315_360_000),
                "The seconds for which the cache keeps a page."
            ),
        ] + vault
}
