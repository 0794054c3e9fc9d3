import NIOHTTP1

/// What a request asks for.
enum Route: Equatable, Sendable {
    /// A file of the page.
    case file(String)
    /// The scope of the caller.
    case session
    /// The exchange of a one-time token for a cookie.
    case signIn
    /// A new one-time token, on the control socket only.
    case oneTimeToken
    case webSocket
    case events
    case rpc

    /// Whether the request needs a bearer token or a cookie.
    var needsAuthorization: Bool {
        switch self {
        case .file, .signIn, .oneTimeToken: false
        case .session, .webSocket, .events, .rpc: true
        }
    }

    /// Whether a request gets a file of the page.
    static func isFile(_ head: HTTPRequestHead, on role: SocketRole) -> Bool {
        guard case .file? = try? Route(head.method, RequestTarget(head.uri).path, on: role) else { return false }
        return true
    }

    /// Finds the route of a request.
    ///
    /// - Throws: ``RequestRefusal``: 404 for an unknown path of a control socket, 405 for a
    ///   wrong method.
    init(_ method: HTTPMethod, _ path: String, on role: SocketRole) throws(RequestRefusal) {
        let routes: [(method: HTTPMethod, route: Route)]
        switch (role, path) {
        case (.control, "/tokens"): routes = [(.POST, .oneTimeToken)]
        case (.control, _): throw RequestRefusal(.notFound, "the control socket has /tokens only")
        case (_, "/session"): routes = [(.GET, .session), (.POST, .signIn)]
        case (_, "/ws"): routes = [(.GET, .webSocket)]
        case (_, "/events"): routes = [(.GET, .events)]
        case (_, "/rpc"): routes = [(.POST, .rpc)]
        default: routes = [(.GET, .file(path)), (.HEAD, .file(path))]
        }
        guard let route = routes.first(where: { $0.method == method })?.route else {
            let allowed = routes.map(\.method.rawValue).sorted().joined(separator: ", ")
            throw RequestRefusal(.methodNotAllowed, "the method is \(allowed)", ["Allow": allowed])
        }
        self = route
    }
}
