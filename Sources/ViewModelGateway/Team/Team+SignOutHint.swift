import NIOHTTP1

/// The ID token of a session, which many providers want when the person signs out there
/// (OpenID Connect RP-Initiated Logout 1.0, section 2).
///
/// The cookie of the session has no room for it, so it has one that browsers send with a sign-out only. It is encrypted,
/// because the token names the person, and good for its session only.
extension Team {
    private static let hintCookie = "__Secure-viewmodel-sign-out"
    /// The most bytes of both cookies, for headers of 8 KiB: those of a reply, and of a request with two sign-ins.
    private static let mostBytes = 6000

    private var hintAttributes: String { "Path=\(settings.path)sign-out; Secure; HttpOnly; SameSite=Strict" }

    /// Returns the header that sets the cookie, or nil if the token is too long for one.
    ///
    /// A token that has ended is still a hint, so the cookie is kept as long as the session may last.
    func hintCookie(_ idToken: SignedToken, of session: TeamSession, besides cookie: String) -> String? {
        guard let value = try? settings.seal.seal(idToken.text, as: Self.label(session)),
            value.utf8.count <= SessionTicket.longestCookie, value.utf8.count + cookie.utf8.count <= Self.mostBytes
        else { return nil }
        return "\(Self.hintCookie)=\(value); \(hintAttributes); Max-Age=\(settings.lifetime)"
    }

    /// Returns the ID token of a session, if the request has it.
    func hint(for session: TeamSession, in head: HTTPRequestHead) -> String? {
        let label = Self.label(session)
        return head.cookies(named: Self.hintCookie).lazy.compactMap { self.settings.seal.open($0, as: label) }.first
    }

    var hintRemoval: String { "\(Self.hintCookie)=; \(hintAttributes); Max-Age=0" }

    private static func label(_ session: TeamSession) -> String { "\(hintCookie) \(session.ticket.id)" }
}
