import Accounts
import JSONRPC
import Logging
import NIOCore
import NIOHTTP1
import ViewModelProtocol

/// The requests of people who sign in and out.
extension HTTPConnection {
    /// Carries out a request of team mode.
    func carryOut(_ route: TeamRoute, _ request: Request) throws(RequestRefusal) {
        guard let team = gateway.team else { throw RequestRefusal(.notFound, "there is no file") }
        switch route {
        case .signIn: beginSignIn(request, team)
        case .signedIn: finishSignIn(request, team)
        case .signOut: try signOut(request, team)
        case .signedOut:
            let link = ("Sign in again", "sign-in")
            reply(.ok, TeamPage(title: "You are signed out", text: "You can close this page.", link: link))
        case .providerSignOut: try signOutByProvider(request, team)
        }
    }

    /// Replies to a request for a page of a person who is not signed in: true if it did.
    func sendsToSignIn(_ request: Request, _ path: String) -> Bool {
        guard let team = gateway.team, path.hasSuffix("/"), gateway.server.files.content(of: path) != nil,
            team.session(of: request.head) == nil
        else { return false }
        reply(.seeOther, ["Location": "\(policy.base)sign-in?return=\(request.head.uri.formEncoded)"], nil)
        return true
    }

    /// Replies with the scope, the hash and the name of a person, and with a cookie that has the last answer of the provider.
    func reply(_ person: Person, _ credential: Team.Credential) {
        var headers = HTTPHeaders()
        if case .session(let session) = credential, let cookie = gateway.team?.cookie(of: session) {
            headers.add(name: "Set-Cookie", value: cookie)
        }
        let (scope, name) = (person.scope.rawValue, person.name)
        reply(.ok, ["scope": .string(scope), "person": .string(person.hash), "name": .string(name)], headers)
    }

    // MARK: Signing in

    private func beginSignIn(_ request: Request, _ team: Team) {
        let base = policy.base
        // The provider sends the browser to the host of the page, and the cookie has to be there already.
        guard request.head.headers["Host"].first?.lowercased() == team.settings.host else {
            let location = team.settings.page + "sign-in" + request.target.queryText
            return reply(.seeOther, ["Location": location], nil)
        }
        let path = request.target["return"] ?? base
        let pending = PendingSignIn(returningTo: path, base: base, now: Gateway.calendarTime)
        let (provider, redirect, prompt) = (team.provider, team.settings.redirect, request.target["prompt"])
        let task = { @Sendable in
            try await provider.signInAddress(pending, redirect: redirect, asksAgain: prompt == "login")
        }
        begin(
            AsyncReply(on: self, task) { connection, result in
                do {
                    var headers: HTTPHeaders = ["Location": try result.get()]
                    let others = request.head.cookies.filter { $0.name.hasPrefix(PendingSignIn.cookiePrefix) }
                    let bytes = others.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
                    if bytes >= PendingSignIn.mostBytes { headers.remove(cookies: others.map(\.name)) }
                    if let cookie = team.pendingCookie(pending) { headers.add(name: "Set-Cookie", value: cookie) }
                    connection.reply(.seeOther, headers, nil)
                } catch {
                    connection.refuseSignIn(error, to: pending.path, headers: [:])
                }
            }
        )
    }

    private func finishSignIn(_ request: Request, _ team: Team) {
        let state = request.target["state"] ?? ""
        let name = PendingSignIn.cookieName(ofState: state)
        let pending = request.head.cookies(named: name).lazy.compactMap { value -> PendingSignIn? in
            team.settings.seal.open(value, as: name)
        }.first { SecretText.isEqual($0.state, state) }
        var headers = HTTPHeaders()
        if request.head.cookies.contains(where: { $0.name == name }) { headers.remove(cookies: [name]) }
        guard let pending else { return refuseSignIn(Team.noSignIn, to: policy.base, headers: headers, level: .debug) }
        do {
            try team.beginExchange(pending)
        } catch {
            return refuseSignIn(error, to: pending.path, headers: headers, level: .debug)
        }
        let (provider, redirect, code) = (team.provider, team.settings.redirect, request.target["code"])
        let (problem, issuer) = (request.target["error"], request.target["iss"])
        let task = { @Sendable in
            let metadata = try await provider.metadata()
            // Another provider may have sent the browser here (RFC 9207).
            guard
                issuer == metadata.issuer
                    || issuer == nil && metadata.authorizationResponseIssParameterSupported != true
            else { throw AccountError(.rejected, "The answer is from another provider") }
            guard let code, problem == nil else {
                let isRefused = problem == "access_denied"
                let text = isRefused ? "It was refused at the provider" : "The provider says: \(problem ?? "nothing")"
                throw AccountError(.rejected, text)
            }
            let (tokens, idToken) = try await provider.exchange(code, of: pending, redirect: redirect)
            let subject = idToken.claims["sub"]?.stringValue ?? ""
            let checked = try await provider.check(tokens, of: subject)
            return (checked.tokens, subject, idToken, checked.claims)
        }
        begin(
            AsyncReply(on: self, always: { team.endExchange() }, task) { connection, result in
                do {
                    let (tokens, subject, idToken, claims) = try result.get()
                    // Pages that are open in the browser go on as the person whose cookie they send now.
                    if let former = team.session(of: request.head) { team.end(former, "Signed in again") }
                    let session = try team.begin(subject, idToken.claims["sid"]?.stringValue, tokens, claims)
                    guard let cookie = team.cookie(of: session) else {
                        throw AccountError(.rejected, "The tokens and claims of the provider are too long for a cookie")
                    }
                    headers.add(name: "Set-Cookie", value: cookie)
                    if let hint = team.hintCookie(idToken, of: session, besides: cookie) {
                        headers.add(name: "Set-Cookie", value: hint)
                    }
                    headers.add(name: "Location", value: pending.path)
                    connection.reply(.seeOther, headers, nil)
                } catch {
                    connection.refuseSignIn(error, to: pending.path, headers: headers)
                }
            }
        )
    }

    /// Replies with a page that says why a sign-in failed, and leads to another one with the same way back.
    private func refuseSignIn(
        _ error: any Error,
        to path: String,
        headers: HTTPHeaders,
        level: Logger.Level = .notice
    ) {
        gateway.server.logger.log(level: level, "A sign-in was refused", metadata: ["reason": "\(error)"])
        let address = "sign-in?return=\(path.formEncoded)"
        let again = ("Try again", address)
        switch error {
        case let error as NoRole:
            let name = error.person.name
            let text = "You have signed in as \(name), who has no role here. Ask the people who run this service."
            let other = ("Sign in as somebody else", address + "&prompt=login")
            reply(.forbidden, TeamPage(title: "No access", text: text, link: other), headers)
        case let error as AccountError where error.kind != .unreachable:
            let text = "You are not signed in. \(error.description)."
            reply(.badRequest, TeamPage(title: "The sign-in failed", text: text, link: again), headers)
        default:
            let text = "You are not signed in, because the sign-in service does not answer. Try again in a minute."
            var headers = headers
            headers.add(name: "Retry-After", value: "30")
            let page = TeamPage(title: "The sign-in is not available", text: text, link: again)
            reply(.serviceUnavailable, page, headers)
        }
    }

    private func reply(_ status: HTTPResponseStatus, _ page: TeamPage, _ headers: HTTPHeaders = [:]) {
        var headers = headers
        headers.add(name: "Content-Type", value: "text/html; charset=utf-8")
        reply(status, headers, page.html)
    }

    // MARK: Signing out

    /// The time that a sign-out waits for the provider, which then goes on.
    private static var signOutTime: TimeAmount { .seconds(3) }

    private func signOut(_ request: Request, _ team: Team) throws(RequestRefusal) {
        guard let session = team.session(of: request.head) else { throw .signedOut }
        let (provider, tokens, logger, loop) = (team.provider, session.ticket.tokens, team.logger, gateway.eventLoop)
        let (page, hint) = (team.settings.page + "signed-out", team.hint(for: session, in: request.head))
        team.end(session, "The person signed out")
        let task = { @Sendable in
            async let revocation: Void? = loop.value(within: Self.signOutTime) {
                do {
                    try await provider.revoke(tokens)
                } catch {
                    // Other gateways may accept a copy of the cookie until its tokens end.
                    logger.notice("The tokens of a person were not revoked", metadata: ["reason": "\(error)"])
                }
            }
            let address = await loop.value(within: Self.signOutTime) {
                await provider.signOutAddress(redirect: page, hint: hint)
            }
            _ = await revocation
            return (address ?? nil) ?? page
        }
        begin(
            AsyncReply(on: self, task) { connection, result in
                var headers = HTTPHeaders()
                headers.remove(cookies: [SessionTicket.cookieName])
                headers.add(name: "Set-Cookie", value: team.hintRemoval)
                let location = (try? result.get()) ?? page
                connection.reply(.ok, ["location": .string(location)], headers)
            }
        )
    }

    /// Ends sessions that have ended at the provider (OpenID Connect Back-Channel Logout 1.0).
    private func signOutByProvider(_ request: Request, _ team: Team) throws(RequestRefusal) {
        let form = RequestTarget("?" + String(buffer: request.body))
        guard let token = form["logout_token"] else { throw .malformed }
        let (provider, audience) = (team.provider, team.settings.provider.clientID ?? "")
        let task = { @Sendable in try await provider.claims(of: token, for: audience) }
        begin(
            AsyncReply(on: self, task) { connection, result in
                do {
                    try team.signOut(by: try result.get())
                    connection.reply(.ok, [:], nil)
                } catch {
                    team.logger.notice("A sign-out of the provider was refused", metadata: ["reason": "\(error)"])
                    connection.refuse(RequestRefusal(.badRequest, "the logout token is not valid"))
                }
            }
        )
    }
}

/// The error of a person who may sign in at the provider, but has no role here.
struct NoRole: Error, CustomStringConvertible {
    /// The scope of this person means nothing.
    let person: Person

    var description: String { "the person \(person.hash) has no role" }
}

extension HTTPHeaders {
    fileprivate mutating func remove(cookies names: [String]) {
        for name in names { add(name: "Set-Cookie", value: Team.removal(of: name)) }
    }
}

extension HTTPConnection.Request {
    /// The requests that begin a connection to the daemon for the caller; nil for a request without authorization.
    var setup: SetupRequests? { person.map { SetupRequests(for: $0) } ?? scope.map { SetupRequests(scope: $0) } }
}
