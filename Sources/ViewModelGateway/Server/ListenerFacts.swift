/// What all connections of a listening socket have in common.
struct ListenerFacts: Sendable {
    let role: SocketRole
    let policy: RequestPolicy
    /// The name of the cookie.
    ///
    /// A cookie is for all ports of a host, so the name contains the port.
    let cookieName: String
    /// The name of the cookie that is sent with TLS only.
    ///
    /// Browsers accept this prefix from the host itself only, so no other host of its domain can set the cookie.
    var secureCookieName: String { "__Host-" + cookieName }

    init(_ role: SocketRole, _ policy: RequestPolicy, _ cookieName: String) {
        self.role = role
        self.policy = policy
        self.cookieName = cookieName
    }
}
