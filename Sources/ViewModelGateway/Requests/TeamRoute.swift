/// What a request of team mode asks for.
enum TeamRoute: Equatable, Sendable {
    /// The way to the provider.
    case signIn
    /// The way back from the provider, with a code.
    case signedIn
    case signOut
    /// The page after a sign-out.
    case signedOut
    /// The sign-out of a session by the provider.
    case providerSignOut
}
