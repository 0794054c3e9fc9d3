import NIOHTTP1

/// What a request asks for.
enum Route: Equatable, Sendable {
    /// A file of the page.
    case file(String)
    case redirect(String)
    /// The methods of a path.
    case methods(String)
    /// Whether the daemon answers.
    case health
    /// The scope of the caller.
    case session
    /// The exchange of a one-time token for a cookie.
    case signIn
    /// A new one-time token, on the control socket only.
    case oneTimeToken
    case webSocket
    case events
    case rpc
    case team(TeamRoute)

    /// Whether the request needs a bearer token or a cookie.
    var needsAuthorization: Bool {
        switch self {
        case .session, .webSocket, .events, .rpc: true
        default: false
        }
    }

    /// Whether a request gets a page, which other sites may link to.
    var isFile: Bool {
        switch self {
        case .file, .redirect, .team(.signIn), .team(.signedIn), .team(.signedOut): true
        default: false
        }
    }

    /// Finds the route of a request.
    ///
    /// - Throws: ``RequestRefusal``: 404 for a path outside of `gateway.path`, or an unknown one of a control socket, 405
    ///   for a wrong method.
    init(_ method: HTTPMethod, _ target: RequestTarget, on policy: RequestPolicy) throws(RequestRefusal) {
        let routes = try Self.routes(target, on: policy)
        if let route = routes.first(where: { $0.method == method })?.route {
            self = route
            return
        }
        let allowed = Set(routes.map(\.method.rawValue) + ["OPTIONS"]).sorted().joined(separator: ", ")
        guard method == .OPTIONS else {
            throw RequestRefusal(.methodNotAllowed, "the method is \(allowed)", ["Allow": allowed])
        }
        self = .methods(allowed)
    }

    private static func routes(
        _ target: RequestTarget,
        on policy: RequestPolicy
    ) throws(RequestRefusal) -> [(method: HTTPMethod, route: Route)] {
        func reads(_ route: Route) -> [(HTTPMethod, Route)] { [(.GET, route), (.HEAD, route)] }
        // A relative location is right whatever a proxy in front has done to the path.
        func redirect(_ path: String) -> [(HTTPMethod, Route)] { reads(.redirect(path + target.queryText)) }
        guard target.path.hasPrefix(policy.base) else {
            guard target.path + "/" == policy.base else { throw RequestRefusal(.notFound, "there is no file") }
            return redirect(policy.base)
        }
        return switch (policy.role, "/" + target.path.dropFirst(policy.base.count)) {
        case (.control, "/tokens"): [(.POST, .oneTimeToken)]
        case (.control, _): throw RequestRefusal(.notFound, "the control socket has /tokens only")
        case (_, "/session"): [(.GET, .session), (.POST, .signIn)]
        case (_, "/ws"): [(.GET, .webSocket)]
        case (_, "/events"): [(.GET, .events)]
        case (_, "/rpc"): [(.POST, .rpc)]
        case (_, "/healthz"): reads(.health)
        case (_, "/sign-in"): [(.GET, .team(.signIn))]
        case (_, "/signed-in"): [(.GET, .team(.signedIn))]
        case (_, "/sign-out"): [(.POST, .team(.signOut))]
        case (_, "/signed-out"): reads(.team(.signedOut))
        case (_, "/provider-sign-out"): [(.POST, .team(.providerSignOut))]
        case (_, "/app"): redirect("app/")
        case (_, "/favicon.ico"): redirect("icon.svg")
        case (_, let path): reads(.file(path))
        }
    }
}
