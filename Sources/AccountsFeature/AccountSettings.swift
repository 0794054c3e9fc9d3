import Accounts
import ViewModelConfiguration

/// The provider of the accounts, as `account.provider` of the configuration names it.
enum AccountProviderKind: String, CaseIterable, Sendable {
    /// The daemon itself.
    case local
    /// A JSON API at `account.url`.
    case http
    /// An OAuth 2.0 or OpenID provider, found by its issuer.
    case oauth
}

/// The keys of `account`.
struct AccountSettings: ConfigurationSection {
    var provider = AccountProviderKind.local
    /// An `http` or `https` address.
    ///
    /// Not nil if the provider is ``AccountProviderKind/http``.
    var url: String?
    var timeoutSeconds = 10
    var oauth = OAuthConfiguration.standard
}

/// The keys of `cache`.
struct CacheSettings: ConfigurationSection {
    var maximumBytes = 64 << 20
    var maximumAgeSeconds = 30 * 86_400
}

extension DaemonConfiguration {
    /// The keys of `account`.
    var account: AccountSettings {
        get { self[AccountSettings.self] }
        set { self[AccountSettings.self] = newValue }
    }
    /// The keys of `cache`.
    var cache: CacheSettings {
        get { self[CacheSettings.self] }
        set { self[CacheSettings.self] = newValue }
    }
}

extension ValueKind<String> {
    /// The address of a web service: a scheme, a host, an optional port and an optional path.
    static let webAddress = text(
        "an http:// or https:// address with a host, perhaps a port from 1 to 65535, and no user, query or fragment",
        isEchoed: false,
        make: { text in (try? WebAddress(text).base) == nil ? nil : text },
        text: { $0 }
    )

    /// Scope tokens (RFC 6749, section 3.3).
    static let scopes = text(
        "scopes, separated by single spaces",
        make: { text in
            let tokens = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            let isValid = tokens.allSatisfy { token in
                !token.isEmpty && token.allSatisfy { 0x21...0x7E ~= $0 && $0 != 0x22 && $0 != 0x5C }
            }
            return isValid ? text : nil
        },
        text: { $0 }
    )
}
