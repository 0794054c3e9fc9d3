import NIOHTTP1

/// The rules of a listening socket that hold for every request before it is carried out.
///
/// A value without I/O.
///
/// A loopback port has no peer credentials: every user of the machine and every page in a browser can reach it. The
/// rules keep pages of other sites out, whatever cookies the browser adds.
struct RequestPolicy: Sendable {
    let role: SocketRole
    /// The name of the cookie.
    ///
    /// A cookie is for all ports of a host, so the name contains the port.
    let cookieName: String
    /// The path below which all routes are, with a slash at both ends.
    let base: String
    /// The hosts that requests may name, in lower case.
    private let hosts: Set<String>
    /// The origins of other sites that may send requests, in lower case.
    private let origins: Set<String>

    /// Creates the rules of a socket.
    ///
    /// The hosts have the port if it is not the scheme's own. The origins are those besides that of the host itself.
    init(
        role: SocketRole,
        hosts: [String] = [],
        origins: [String] = [],
        cookieName: String = "",
        base: String = "/"
    ) {
        self.role = role
        self.base = base
        self.cookieName = cookieName
        self.hosts = Set(hosts.map { $0.lowercased() })
        self.origins = Set(origins.map { $0.lowercased() })
    }

    /// The name of the cookie that is sent with TLS only.
    ///
    /// Browsers accept the prefix `__Host-` from the host itself only, so no other host of its domain can set the cookie.
    /// It is for the path `/` only.
    var secureCookieName: String { (base == "/" ? "__Host-" : "__Secure-") + cookieName }

    /// Checks that the end of a request is where each proxy sees it (RFC 9112, section 6).
    ///
    /// The decoder refuses two lengths, and folded or otherwise malformed lines.
    ///
    /// - Throws: ``RequestRefusal`` with status 400.
    static func checkFraming(of head: HTTPRequestHead) throws(RequestRefusal) {
        let codings = head.headers["Transfer-Encoding"]
        guard [.http1_0, .http1_1].contains(head.version), head.headers["Content-Length"].count <= 1,
            codings.isEmpty
                || codings.map({ $0.lowercased() }) == ["chunked"] && head.version == .http1_1
                    && !head.headers.contains(name: "Content-Length")
        else { throw .malformed }
    }

    /// Checks the host, the origin and the content type of a request.
    ///
    /// - Parameters:
    ///   - head: the head of the request.
    ///   - route: its route. `/healthz` is for balancers, which may name any host.
    ///   - hasBearer: whether the request has a token in `Authorization`. A page of another site cannot send one,
    ///     so such a request needs no `Origin`, except on `/ws`.
    /// - Throws: ``RequestRefusal``: 421 for the host, 403 for the origin, 415 for the content type.
    func check(_ head: HTTPRequestHead, for route: Route, hasBearer: Bool) throws(RequestRefusal) {
        guard route != .health else { return }
        let host = try host(of: head)
        // The provider has no cookie, and shows a token with a signature.
        guard route != .team(.providerSignOut) else { return }
        if role != .control { try checkOrigin(of: head, for: route, host: host, hasBearer: hasBearer) }
        if head.method == .POST { try checkContentType(of: head) }
    }

    private func host(of head: HTTPRequestHead) throws(RequestRefusal) -> String {
        // A name that an attacker resolves to this machine (DNS rebinding) is not in the list.
        let named = head.headers["Host"]
        guard named.count == 1, case let host = named[0].lowercased(), hosts.contains(host) || role == .control else {
            throw RequestRefusal(.misdirectedRequest, "the host is not one of this gateway")
        }
        return host
    }

    private func checkOrigin(
        of head: HTTPRequestHead,
        for route: Route,
        host: String,
        hasBearer: Bool
    ) throws(RequestRefusal) {
        let named = head.headers["Origin"]
        if named.isEmpty {
            let isNeeded = head.method == .POST && !hasBearer || route == .webSocket
            guard !isNeeded else { throw RequestRefusal(.forbidden, "the request has no Origin") }
        } else {
            guard named.count == 1, isAllowed(named[0].lowercased(), host: host) else {
                throw RequestRefusal(.forbidden, "the origin is not allowed")
            }
        }
        // Browsers send this header also where they leave out Origin. Pages of the same site may be other programs on
        // other ports of this machine.
        let isForeign = head.headers["Sec-Fetch-Site"].contains { $0 == "cross-site" || $0 == "same-site" }
        let isNavigation = head.headers["Sec-Fetch-Mode"] == ["navigate"]
        guard !isForeign || !named.isEmpty || isNavigation && route.isFile else {
            throw RequestRefusal(.forbidden, "the request comes from another site")
        }
    }

    private func isAllowed(_ origin: String, host: String) -> Bool {
        if origins.contains(origin) { return true }
        return switch role {
        case .control: false
        case .network(let isSecure): origin == (isSecure ? "https://" : "http://") + host
        case .proxy(let isSecure): origin == "https://" + host || !isSecure && origin == "http://" + host
        }
    }

    /// Requires JSON.
    ///
    /// A form of another site cannot send it without a preflight, which the gateway does not answer.
    private func checkContentType(of head: HTTPRequestHead) throws(RequestRefusal) {
        let types = head.headers["Content-Type"]
        let type = types.first?.prefix { !"; \t".contains($0) }.lowercased()
        guard types.count == 1, type == "application/json" else {
            throw RequestRefusal(.unsupportedMediaType, "the content type is application/json")
        }
    }
}
