import NIOCore
import NIOHTTP1
import ViewModelConfiguration
import ViewModelProtocol

/// The checks of a request before its body arrives.
extension HTTPConnection {
    /// A request that was checked, and whose body arrives.
    struct Request {
        let head: HTTPRequestHead
        let target: RequestTarget
        let route: Route
        /// The scope of the caller, or nil for a request without authorization.
        var scope: AccessScope?
        /// What a request in team mode shows, and the person whom it names.
        let credential: Team.Credential?
        var person: Person?
        let maximumBodyBytes: Int
        /// The whole body, when the request is carried out.
        var body = ByteBuffer()
    }

    /// The longest body of a request that is not for the daemon.
    private static let longestToken = 4096
    private static let longestLogoutToken = 16_384

    /// Checks the head of a request: where it ends, its route, the rules of the socket, the caller and the length.
    func check(_ head: HTTPRequestHead) throws(RequestRefusal) -> Request {
        try RequestPolicy.checkFraming(of: head)
        let target = RequestTarget(head.uri)
        let route = try Route(head.method, target, on: policy)
        let named = head.headers["Authorization"]
        let bearer =
            named.count == 1 && gateway.team == nil ? gateway.tokens.scope(ofAuthorization: named[0]) : nil
        // Beside this header no cookie counts, so that a token which is not valid is the fault.
        let hasBearer = bearer != nil || !named.isEmpty && route.needsAuthorization
        try policy.check(head, for: route, hasBearer: hasBearer)
        var scope: AccessScope?
        var credential: Team.Credential?
        if let team = gateway.team, route.needsAuthorization {
            credential = try team.credential(of: head)
            if case .session? = credential, let key { gateway.connections.admit(key) }
        } else if route.needsAuthorization {
            scope = named.isEmpty ? scopeOfCookie(head) : bearer
            guard scope != nil else {
                throw RequestRefusal(.unauthorized, "a token is missing or not valid", ["WWW-Authenticate": "Bearer"])
            }
            if let key { gateway.connections.admit(key) }
        }
        let maximum =
            switch route {
            case .rpc: gateway.server.configuration.limits.messageBytes
            case .team: Self.longestLogoutToken
            default: Self.longestToken
            }
        // The decoder accepts only digits, so a length that is no Int is larger than each Int.
        if let length = head.headers["Content-Length"].first, Int(length) ?? .max > maximum {
            throw RequestRefusal(.payloadTooLarge, "the body is longer than \(maximum) bytes")
        }
        return Request(
            head: head,
            target: target,
            route: route,
            scope: scope,
            credential: credential,
            maximumBodyBytes: maximum
        )
    }
}
