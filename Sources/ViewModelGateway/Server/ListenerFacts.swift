/// What all connections of a listening socket have in common.
struct ListenerFacts: Sendable {
    let role: SocketRole
    let policy: RequestPolicy
    /// The name of the cookie.
    ///
    /// A cookie is for all ports of a host, so the name contains the port.
    let cookieName: String

    init(_ role: SocketRole, _ policy: RequestPolicy, _ cookieName: String) {
        self.role = role
        self.policy = policy
        self.cookieName = cookieName
    }
}
