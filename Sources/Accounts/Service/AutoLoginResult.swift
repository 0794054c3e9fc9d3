/// The result of a sign-in with the stored token.
public enum AutoLoginResult: Hashable, Sendable {
    /// No token is stored, or the user signed out during the request.
    case noToken
    /// The provider accepted the token, or another sign-in succeeded during the request.
    case signedIn(AccountPage)
    /// The provider rejected the token with this text; the token was removed, and the user is signed out.
    case refused(String)
}
