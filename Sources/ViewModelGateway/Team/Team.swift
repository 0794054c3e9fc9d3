import Accounts
import Foundation
import JSONRPC
import Logging
import NIOCore
import NIOHTTP1
import ViewModelConfiguration
import ViewModelProtocol

/// The people who are signed in at this gateway.
///
/// A session is in the cookie of its browser. The gateway asks the provider about each session that is used, so that it ends
/// within ``mostSeconds`` after the provider ended it, whichever gateway it uses.
///
/// Isolation: confined to the gateway's event loop.
final class Team {
    /// What a request has to show who sends it.
    enum Credential {
        case session(TeamSession)
        case bearer(String)
    }

    /// The seconds for which an answer of the provider is valid, so that a change counts within a minute.
    static let mostSeconds = 55
    /// The seconds between two questions about a session if the provider does not answer.
    private static let retrySeconds = 10
    /// The seconds for which connections outlive the last answer while the provider is away.
    private static let graceSeconds = 300
    /// The most sessions without connections that are remembered.
    private static let mostSessions = 65_536
    /// The most codes that are exchanged at a time.
    private static let mostExchanges = 256
    /// The connections to a provider without HTTP/2.
    private static let providerConnections = 64
    static let noSignIn = AccountError(.rejected, "It was not begun in this browser, or is over")

    let settings: TeamSettings
    let provider: OpenIDProvider
    let logger: Logger
    private unowned let gateway: Gateway
    private var sessions: [String: TeamSession] = [:]
    /// The sessions, by their connections.
    private var owners: [GatewayConnections.Key: TeamSession] = [:]
    /// The ends of the tokens of connections with bearer tokens.
    private var bearerEnds: [GatewayConnections.Key: Int] = [:]
    /// Sessions that were ended here, sign-ins and logout tokens that were used, and sign-outs at the provider, by their
    /// times: cookies with them, and the tokens, may still come.
    private var ended: [String: Int] = [:]
    private var used: [String: Int] = [:]
    private var signedOut: [String: Int] = [:]
    private var exchanges = 0
    private var providerAway = RareMessage()

    init(_ settings: TeamSettings, _ gateway: Gateway) {
        (self.settings, self.gateway, logger) = (settings, gateway, gateway.server.logger)
        provider = OpenIDProvider(
            settings.provider,
            over: HTTPTransport(
                timeout: .seconds(10),
                section: "gateway.openid",
                connections: Self.providerConnections
            ),
            now: { Gateway.calendarTime }
        )
    }

    private var now: Int { Gateway.calendarTime }

    /// Starts the clock, and asks for the provider's metadata, so that the log says at once what is wrong with them.
    func start() {
        gateway.eventLoop.makeFutureWithTask { [provider] in try await provider.metadata() }
            .assumeIsolated().whenFailure { [logger] error in
                logger.error("Nobody can sign in", metadata: ["reason": "\(error)"])
            }
        scheduleTick()
    }

    private func scheduleTick() {
        gateway.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) { [weak self] in
            self?.tick()
            self?.scheduleTick()
        }
    }

    // MARK: Requests

    /// Returns what a request shows, or throws 401.
    func credential(of head: HTTPRequestHead) throws(RequestRefusal) -> Credential {
        if let header = head.headers["Authorization"].first {
            let parts = header.split(separator: " ")
            if settings.audience != nil, parts.count == 2, parts[0].lowercased() == "bearer" {
                return .bearer(String(parts[1]))
            }
            throw .signedOut
        }
        guard let session = session(of: head) else { throw .signedOut }
        return .session(session)
    }

    /// Returns the session of a cookie, unless it has ended.
    func session(of head: HTTPRequestHead) -> TeamSession? {
        for value in head.cookies(named: SessionTicket.cookieName) {
            guard let ticket: SessionTicket = settings.seal.open(value, as: SessionTicket.cookieName) else { continue }
            if let session = sessions[ticket.id], isAlive(session.ticket) {
                // Another gateway may have asked the provider since.
                if ticket.checked > session.ticket.checked, ticket.checked <= now { session.ticket = ticket }
                return session
            }
            guard isAlive(ticket) else { continue }
            let session = TeamSession(ticket)
            sessions[ticket.id] = session
            return session
        }
        return nil
    }

    private func isAlive(_ ticket: SessionTicket) -> Bool {
        let signOuts = ["sid \(ticket.providerSession ?? "")", "sub \(ticket.subject)"].compactMap { signedOut[$0] }
        return ticket.began - OpenIDProvider.clockSkew..<ticket.began + settings.lifetime ~= now
            && now < ticket.used + settings.idleSeconds && ended[ticket.id] == nil
            && signOuts.allSatisfy { $0 < ticket.began }
    }

    /// Whether the provider has answered in these seconds.
    ///
    /// A time to come is that of a gateway with another clock, and says nothing.
    private func isFresh(_ ticket: SessionTicket, for seconds: Int) -> Bool {
        0..<seconds ~= now - ticket.checked
    }

    /// Calls back with the person of a credential, once the provider has confirmed it.
    func authorize(_ credential: Credential, _ done: @escaping (Result<Person, RequestRefusal>) -> Void) {
        switch credential {
        case .session(let session):
            session.ticket.used = now
            guard !isFresh(session.ticket, for: Self.mostSeconds) else { return done(.success(session.ticket.person)) }
            session.waiting.append(done)
            // A refresh token may be good for one use.
            if !session.isChecking { check(session) }
        case .bearer(let token):
            let (provider, settings) = (provider, settings)
            let future = gateway.eventLoop.makeFutureWithTask {
                let token = try await provider.claims(of: token, for: settings.audience ?? "")
                // An ID token and a logout token are for the client. A token with `cnf` is good with a proof of a key only.
                guard token.mayBe("at+jwt"), ["nonce", "events", "cnf"].allSatisfy({ token.claims[$0] == nil }),
                    let scope = settings.roles.scope(of: token.claims), let subject = token.claims["sub"]?.stringValue,
                    let person = Person(subject, of: settings.issuer, scope, claims: token.claims)
                else { throw AccountError(.rejected, "The token gives no access") }
                return person
            }
            future.assumeIsolated().whenComplete { [logger] result in
                done(
                    result.mapError { error in
                        let isAway = (error as? AccountError)?.kind == .unreachable
                        if !isAway {
                            logger.info("A bearer token was refused", metadata: ["reason": "\(error)"])
                        }
                        return isAway ? .providerAway : .signedOut
                    }
                )
            }
        }
    }

    /// Takes note that a connection acts for a person from now on.
    func attach(_ key: GatewayConnections.Key, to credential: Credential) {
        switch credential {
        case .session(let session):
            detach(key)
            owners[key] = session
            session.connections.insert(key)
        case .bearer(let token):
            // A far end is as good as none, and fits into an integer.
            bearerEnds[key] = SignedToken(token)?.claims["exp"]?.doubleValue.map { Int(min($0, 1e15)) }
        }
    }

    func detach(_ key: GatewayConnections.Key) {
        owners.removeValue(forKey: key)?.connections.remove(key)
        bearerEnds[key] = nil
    }

    // MARK: Questions to the provider

    private func check(_ session: TeamSession) {
        (session.isChecking, session.nextCheck) = (true, now + Self.retrySeconds)
        let (tokens, subject) = (session.ticket.tokens, session.ticket.subject)
        let future = gateway.eventLoop.makeFutureWithTask { [provider] in
            try await provider.check(tokens, of: subject)
        }
        future.assumeIsolated().whenComplete { result in self.checked(session, result) }
    }

    private func checked(
        _ session: TeamSession,
        _ result: Result<(tokens: OpenIDProvider.Tokens, claims: JSONObject), any Error>
    ) {
        session.isChecking = false
        var outcome: Result<Person, RequestRefusal> = .failure(.signedOut)
        switch result {
        case .success(let (tokens, claims)):
            session.ticket.tokens = tokens
            if !isAlive(session.ticket) {
                end(session, "The session has ended")
            } else if let person = person(session.ticket.subject, claims) {
                let hasChanged = person.scope != session.ticket.person.scope
                (session.ticket.person, session.ticket.checked) = (person, now)
                outcome = .success(person)
                if hasChanged {
                    audit("The role of a person has changed", person, ["scope": "\(person.scope.rawValue)"])
                    stopConnections(of: session)
                }
            } else {
                outcome = .failure(.noRole)
                end(session, "The person has no role any more")
            }
        case .failure(let error as AccountError) where error.kind == .unreachable:
            if providerAway.isDue() {
                logger.warning("The provider does not answer about people", metadata: ["reason": "\(error)"])
            }
            outcome = .failure(.providerAway)
            let end = min(session.ticket.tokens.accessEnd, session.ticket.checked + Self.graceSeconds)
            if now >= max(end, session.ticket.checked + Self.mostSeconds) { stopConnections(of: session) }
        case .failure(let error):
            end(session, "\(error)")
        }
        let waiting = session.waiting
        session.waiting = []
        for done in waiting { done(outcome) }
    }

    /// Returns the person with claims of the provider's userinfo, or nil for one without a role.
    func person(_ subject: String, _ claims: JSONObject) -> Person? {
        settings.roles.scope(of: claims).flatMap { Person(subject, of: settings.issuer, $0, claims: claims) }
    }

    private func tick() {
        let now = now
        for session in sessions.values {
            guard isAlive(session.ticket) else {
                end(session, "The time of the session is over")
                continue
            }
            guard !session.connections.isEmpty else { continue }
            session.ticket.used = now
            guard !isFresh(session.ticket, for: session.checkSeconds), now >= session.nextCheck else { continue }
            if !session.isChecking { check(session) }
        }
        for (key, end) in bearerEnds where end + OpenIDProvider.clockSkew <= now { gateway.connections[key]?.stop() }
        if sessions.count > Self.mostSessions {
            sessions = sessions.filter { !$0.value.connections.isEmpty || $0.value.ticket.used > now - 300 }
        }
        ended = ended.filter { $0.value + settings.lifetime > now }
        signedOut = signedOut.filter { $0.value + settings.lifetime > now }
        used = used.filter { $0.value > now }
    }

    // MARK: Signing in and out

    /// Uses up the state of a sign-in, and counts the exchange of its code.
    ///
    /// - Throws: `rejected` for a state that was used, `unreachable` if too many exchanges are under way.
    func beginExchange(_ pending: PendingSignIn) throws(AccountError) {
        guard pending.end > now, used[pending.state] == nil else { throw Self.noSignIn }
        guard exchanges < Self.mostExchanges else {
            throw AccountError(.unreachable, "Too many people sign in at once")
        }
        used[pending.state] = pending.end
        exchanges += 1
    }

    func endExchange() { exchanges -= 1 }

    /// Begins the session of a person who has signed in.
    func begin(
        _ subject: String,
        _ providerSession: String?,
        _ tokens: OpenIDProvider.Tokens,
        _ claims: JSONObject
    ) throws -> TeamSession {
        let scope = settings.roles.scope(of: claims)
        guard let person = Person(subject, of: settings.issuer, scope ?? .observe, claims: claims) else {
            throw AccountError(.rejected, "The subject or the claims of the provider are too long")
        }
        guard scope != nil else { throw NoRole(person: person) }
        let ticket = SessionTicket(
            person: person,
            subject: subject,
            providerSession: providerSession,
            tokens: tokens,
            began: now,
            checked: now,
            used: now
        )
        let session = TeamSession(ticket)
        sessions[ticket.id] = session
        audit("Signed in", person, ["scope": "\(person.scope.rawValue)", "session": "\(ticket.id.prefix(8))"])
        return session
    }

    /// Ends the sessions of a person, or of a session at the provider, that began before the provider's sign-out.
    ///
    /// - Throws: `AccountError` for a token of another kind, and for one that was used.
    func signOut(by token: SignedToken) throws {
        let claims = token.claims
        let event = claims["events"]?["http://schemas.openid.net/event/backchannel-logout"]
        let names = ["sid", "sub"].compactMap { name in claims[name]?.stringValue.map { "\(name) \($0)" } }
        guard token.mayBe("logout+jwt"), event?.objectValue != nil, claims["nonce"] == nil, let name = names.first,
            let id = claims["jti"]?.stringValue.map({ "jti \($0)" }), used[id] == nil,
            let issued = claims["iat"]?.doubleValue, let expiry = claims["exp"]?.doubleValue
        else { throw AccountError(.rejected, "It is no logout token, or was used") }
        used[id] = Int(min(expiry, 1e15)) + OpenIDProvider.clockSkew
        // The clock of the provider may be behind.
        let time = min(Int(max(0, issued)) + OpenIDProvider.clockSkew, now)
        signedOut[name] = max(time, signedOut[name] ?? 0)
        for session in sessions.values where !isAlive(session.ticket) { end(session, "Signed out at the provider") }
    }

    /// Ends a session at this gateway.
    ///
    /// Other gateways learn of it by their next question to the provider.
    func end(_ session: TeamSession, _ reason: String) {
        audit("Signed out", session.ticket.person, ["reason": "\(reason)"])
        ended[session.ticket.id] = session.ticket.began
        sessions[session.ticket.id] = nil
        stopConnections(of: session)
    }

    private func stopConnections(of session: TeamSession) {
        for key in session.connections { gateway.connections[key]?.stop() }
    }

    func audit(_ event: Logger.Message, _ person: Person, _ details: Logger.Metadata = [:]) {
        logger.notice(event, metadata: details.merging(["person": "\(person.hash)"]) { $1 })
    }

    /// Returns the header that sets the cookie of a session, or nil if the tokens and claims are too long for a cookie.
    func cookie(of session: TeamSession) -> String? {
        let name = SessionTicket.cookieName
        guard let value = try? settings.seal.seal(session.ticket, as: name),
            value.utf8.count <= SessionTicket.longestCookie
        else { return nil }
        let seconds = max(0, min(settings.idleSeconds, session.ticket.began + settings.lifetime - now))
        return "\(name)=\(value); \(Self.attributes); Max-Age=\(seconds)"
    }

    static let attributes = "Path=/; Secure; HttpOnly; SameSite=Lax"

    func pendingCookie(_ pending: PendingSignIn) -> String? {
        let name = pending.cookieName
        return (try? settings.seal.seal(pending, as: name)).map {
            "\(name)=\($0); \(Self.attributes); Max-Age=\(PendingSignIn.seconds)"
        }
    }

    static func removal(of cookie: String) -> String { "\(cookie)=; \(attributes); Max-Age=0" }
}

extension TeamSettings {
    var issuer: String { provider.issuer ?? "" }
    /// The address to which the provider sends browsers back.
    var redirect: String { page + "signed-in" }
    /// The host of the page, in lower case.
    var host: String { String(page.dropFirst("https://".count).prefix { $0 != "/" }).lowercased() }
    /// The path of the page.
    var path: String { String(page.dropFirst("https://".count).drop { $0 != "/" }) }
}

extension RequestRefusal {
    static let signedOut = RequestRefusal(
        .unauthorized,
        "nobody is signed in",
        ["WWW-Authenticate": "Bearer", "Link": "<sign-in>; rel=login"]
    )
    static let noRole = RequestRefusal(.forbidden, "the person has no role here")
    static let providerAway = RequestRefusal(
        .serviceUnavailable,
        "the provider of the sign-in cannot be reached",
        ["Retry-After": "5"]
    )
}

extension HTTPRequestHead {
    /// Returns the values of the cookies of a name.
    func cookies(named name: String) -> [String] {
        cookies.filter { $0.name == name }.map(\.value)
    }

    /// The cookies of the request.
    var cookies: [(name: String, value: String)] {
        headers["Cookie"].flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }.compactMap { pair in
            let parts = pair.drop { $0 == UInt8(ascii: " ") }.split(separator: UInt8(ascii: "="), maxSplits: 1)
            guard parts.count == 2 else { return nil }
            return (String(Substring(parts[0])), String(Substring(parts[1])))
        }
    }
}
