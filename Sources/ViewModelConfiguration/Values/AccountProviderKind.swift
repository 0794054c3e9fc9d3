/// The provider of the accounts, as `account.provider` of the configuration names it.
package enum AccountProviderKind: String, CaseIterable, Sendable {
    /// The daemon itself.
    case local
    /// A JSON API at `account.url`.
    case http
    /// An OAuth 2.0 or OpenID provider, found by its issuer.
    case oauth
}
