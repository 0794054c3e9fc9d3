import Accounts
import ViewModelConfiguration
import ViewModelKit

/// The provider of the accounts, as `account.provider` of the configuration names it.
enum AccountProviderKind: String, CaseIterable, Schemable, Sendable {
    /// The daemon itself.
    case local
    /// A JSON API at `account.url`.
    case http
    /// An OAuth 2.0 or OpenID provider, found by its issuer.
    case oauth
}

/// The keys of `account`.
@Schemable
struct AccountSettings: ConfigurationSection {
    /// The keys of `account.oauth`.
    @Schemable
    struct OAuth: Sendable {
        /// The issuer.
        ///
        /// The daemon finds the configuration of the provider below this address. The provider "oauth" requires it.
        var issuer: FormText<WebAddressForm>?
        /// The id of this daemon at the provider.
        ///
        /// The provider "oauth" requires it.
        var clientId: FormText<SomeText>?
        /// The file with the client secret, if the provider issued one.
        ///
        /// Only the daemon may be able to read it.
        var clientSecretFile: FormText<SecretPath>?
        /// The scopes that the daemon requests from the provider.
        var scopes: FormText<ScopeTokens> = FormText(rawValue: OAuthConfiguration.standard.scopes)
        /// Whether the daemon may send passwords to the provider (RFC 6749, section 4.3).
        ///
        /// OAuth advises against it.
        var passwordGrant = false
    }

    static let section = "account"
    static let isLive = false

    /// The provider of the accounts.
    ///
    /// "local": the daemon itself. "http": a JSON API at account.url. "oauth": an OAuth 2.0 or OpenID provider, see
    /// account.oauth.
    var provider: AccountProviderKind = .local
    /// The address of the JSON API.
    ///
    /// The provider "http" requires it.
    var url: FormText<WebAddressForm>?
    /// The seconds for which the daemon waits for an answer of the provider.
    @Bounds(1...3600) var timeoutSeconds = 10
    var oauth: OAuth = OAuth()
}

/// The keys of `limits` that the outboxes need.
@Schemable
struct OutboxSettings: ConfigurationSection {
    static let section = "limits"

    /// The most unsent messages in the outbox of one user.
    @Bounds(1...1_048_576) var outboxItemsPerUser = 10_000
    /// The most bytes of text in these messages.
    @Bounds(1...1 << 40) var outboxBytesPerUser = 67_108_864
}

/// The keys of `cache`.
@Schemable
struct CacheSettings: ConfigurationSection {
    static let section = "cache"

    /// The most bytes of account pages in the cache.
    ///
    /// The page that was fetched longest ago is removed first.
    @Bounds(0...1 << 40) var maximumBytes: Int = 64 << 20
    /// The seconds for which the cache keeps a page.
    @Bounds(0...315_360_000) var maximumAgeSeconds: Int = 30 * 86_400
}

/// The address of a web service: a scheme, a host, an optional port and an optional path.
enum WebAddressForm: ConfigurableValue {
    static let kind = ValueKind.text(
        "an http:// or https:// address with a host, perhaps a port from 1 to 65535, and no user, query or fragment",
        isEchoed: false
    ) { (try? WebAddress($0).base) != nil }
}
