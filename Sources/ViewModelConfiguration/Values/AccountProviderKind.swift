/// The configuration's `account.provider`: who knows the accounts.
package enum AccountProviderKind: String, CaseIterable, Sendable {
    /// The daemon itself.
    case local
    /// A JSON API at `account.url`.
    case http
    /// An OAuth 2.0 or OpenID provider, found by its issuer.
    case oauth
}
