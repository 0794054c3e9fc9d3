import ViewModelKit
import ViewModelProtocol

/// `session.*`, `rpc.discover` and `$/cancelRequest`: what concerns the connection itself (protocol, section 4).
extension Conversation {
    func attach(_ params: SessionAttach.Params, _ id: Bytes?) throws(ProtocolError) -> Dispatched {
        if host.isStopping { throw .shuttingDown }
        let name = params.session?.text ?? Self.randomName()
        let configuration = host.configuration
        let wanted = params.linger.map { min($0, configuration.maximumLingerSeconds) }
        let first = wanted ?? min(configuration.lingerSeconds, configuration.maximumLingerSeconds)
        let (session, created) = try host.directory.findOrMake(name, uid: peer.uid) { count throws(ProtocolError) in
            let limit = configuration.limits.sessionsPerUser
            guard count < limit else { throw .limitExceeded(limit: "limits.sessionsPerUser", value: limit) }
            return Session(host: host, uid: peer.uid, name: name, linger: first, loop: loop)
        }
        if let client = params.client { self.client = client }
        // In the new session before out of the old one: a session attached to again does not end in between.
        let old = releaseSeat()
        defer { old.map(leave) }
        guard session.loop === loop else { return attachAcross(session, name, wanted, created, id) }
        let seat = sit(in: session, linger: wanted)
        return .replied(try attached(name, created, session, linger: seat.session.core.linger))
    }

    private func attachAcross(
        _ session: Session,
        _ name: String,
        _ linger: Int?,
        _ created: Bool,
        _ id: Bytes?
    ) -> Dispatched {
        let pending = PendingRequest(id: id.map { RequestID(lexeme: $0) } ?? .null)
        let conversation = LoopConfined(self, on: loop)
        let target = LoopConfined(pending, on: loop)
        isMoving = true
        session.run { core in
            let attachment = core.attach(conversation, linger: linger)
            let seat = Seat(session: session, attachment: LoopConfined(attachment, on: session.loop))
            let granted = core.linger
            conversation.run { conversation in
                conversation.take(seat)
                conversation.isMoving = false
                do throws(ProtocolError) {
                    let reply = try conversation.attached(name, created, session, linger: granted)
                    conversation.complete(target.value, reply)
                } catch {
                    conversation.complete(target.value, .error(error))
                }
                conversation.outlet.resumeReading()
            }
        }
        return id == nil ? .replied(.null) : .pending(pending)
    }

    private func attached(
        _ name: String,
        _ created: Bool,
        _ session: Session,
        linger: Int
    ) throws(ProtocolError) -> Reply {
        try encoding(
            SessionAttach.Result(
                session: name,
                created: created,
                restored: false,
                epoch: session.epoch,
                linger: linger,
                daemon: DaemonInfo(name: host.name, version: host.version)
            )
        )
    }

    func listSessions(_ params: NoParams) throws(ProtocolError) -> Dispatched {
        let entries = host.directory.all(of: peer.uid).map { session in
            let status = session.currentStatus
            return SessionList.Entry(
                session: session.name ?? "",
                attached: status.attached,
                instances: status.instances,
                created: session.created.text,
                expires: status.expires?.text
            )
        }
        return .replied(try encoding(SessionList.Result(sessions: entries)))
    }

    func closeSession(_ params: SessionClose.Params, _ id: Bytes?) throws(ProtocolError) -> Dispatched {
        let own = seat?.session
        let session: Session
        if let name = params.session?.text {
            guard let found = host.directory.find(name, uid: peer.uid) else {
                let known = host.directory.all(of: peer.uid).compactMap(\.name)
                throw .notFound(session: name, suggestions: Suggestions.close(to: name, among: known))
            }
            session = found
        } else if let own {
            session = own
        } else {
            return .replied(.null)
        }
        let requester = LoopConfined(self, on: loop)
        guard session.loop === loop else {
            let pending = PendingRequest(id: id.map { RequestID(lexeme: $0) } ?? .null)
            let target = LoopConfined(pending, on: loop)
            session.run { core in
                core.end(reason: "closed", requester: requester)
                requester.run { $0.complete(target.value, .null) }
            }
            return id == nil ? .replied(.null) : .pending(pending)
        }
        session.core.end(reason: "closed", requester: requester)
        return .replied(.null)
    }

    func discover(_ params: NoParams) throws(ProtocolError) -> Dispatched {
        .replied(.result(host.discoveryDocument()))
    }

    func cancelRequest(_ params: ParamsReader) -> Dispatched {
        // What is no id names no request, and what names none is ignored.
        if let wanted = try? params.object(CancelRequest.Params.self) {
            inFlight[wanted.id]?.cancel?()
        }
        return .replied(.null)
    }

    /// The daemon ends: the client of a named session is told, and everybody's connection is closed.
    package func stop() {
        if let seat, let name = seat.session.name {
            tellClosed(name, reason: "stopping")
        }
        outlet.finish()
    }

    func encoding(_ result: some Encodable) throws(ProtocolError) -> Reply {
        do {
            return try .encoding(result)
        } catch {
            throw .internalError(incident: host.incident(error, in: "encoding a result", metadata))
        }
    }

    /// A name that nobody else has, for those who do not care.
    private static func randomName() -> String {
        "session-" + String(UInt64.random(in: .min ... .max), radix: 36)
    }
}
