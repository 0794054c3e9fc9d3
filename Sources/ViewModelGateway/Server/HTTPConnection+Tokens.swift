import JSONRPC
import Logging
import NIOCore
import NIOHTTP1
import ViewModelConfiguration
import ViewModelProtocol

/// The requests about tokens.
extension HTTPConnection {
    /// Returns the scope of the first valid cookie, or nil.
    func scopeOfCookie(_ head: HTTPRequestHead) -> AccessScope? {
        // A server on another port of the host can set a cookie of this name. It must not hide the valid one.
        for (name, value) in head.cookies where name == policy.cookieName || name == policy.secureCookieName {
            let scope = gateway.tokens.scope(ofCookie: value, named: name, now: Gateway.calendarTime)
            if let scope { return scope }
        }
        return nil
    }

    /// Exchanges a one-time token for a cookie.
    func signIn(_ request: Request) throws(RequestRefusal) {
        try refuseInTeam()
        guard let token = JSONValue(text: Array(request.body.readableBytesView))?["token"]?.stringValue else {
            throw RequestRefusal(.badRequest, "the body is {\"token\": \"…\"}")
        }
        guard let scope = gateway.tokens.redeem(token, now: Gateway.uptime) else {
            throw RequestRefusal(.unauthorized, "the token was used, is older than 60 seconds or is not valid")
        }
        let isSecure = request.head.headers["Origin"].contains { $0.hasPrefix("https://") }
        let name = isSecure ? policy.secureCookieName : policy.cookieName
        let cookie = gateway.tokens.cookie(scope, named: name, now: Gateway.calendarTime)
        let attributes =
            "HttpOnly; SameSite=Strict; Path=\(policy.base); Max-Age=\(cookie.maximumAge)"
            + (isSecure ? "; Secure" : "")
        reply(
            .ok,
            ["scope": .string(scope.rawValue)],
            ["Set-Cookie": "\(name)=\(cookie.value); \(attributes)"]
        )
    }

    private func refuseInTeam() throws(RequestRefusal) {
        guard gateway.team != nil else { return }
        let page = gateway.server.addresses.page
        throw RequestRefusal(.forbidden, "people sign in at \(page), because gateway.openid.issuer is configured")
    }

    func issueToken(_ request: Request) throws(RequestRefusal) {
        try refuseInTeam()
        let wanted = JSONValue(text: Array(request.body.readableBytesView))?["scope"]?.stringValue
        // A page never gets the scope admin: the sessions of other users are not for browsers.
        guard let scope = wanted.flatMap(AccessScope.init), scope < .admin else {
            throw RequestRefusal(.badRequest, "the body is {\"scope\": \"observe\" or \"act\"}")
        }
        let token = gateway.tokens.issue(scope, now: Gateway.uptime)
        // viewmodelctl compares the path with its own, so each byte counts (`String.init(systemBytes:)`).
        reply(
            .ok,
            [
                "url": .string(gateway.server.addresses.page + "#token=" + token),
                "daemon": .string(gateway.server.daemon),
            ]
        )
    }
}

extension RequestRefusal {
    static let malformed = RequestRefusal(.badRequest, "the request is malformed")
}

enum ReplyHeaders {
    static let all: HTTPHeaders = [
        "Content-Security-Policy":
            "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    ]
}
