/// What came of signing in with the stored token.
public enum AutoLoginResult: Hashable, Sendable {
    /// There is no token; nobody was asked.
    case noToken
    /// The token is good.
    case signedIn(AccountPage)
    /// The backend said no: the token is gone, nobody is signed in. Its text, if it gave one.
    case refused(String)
}
