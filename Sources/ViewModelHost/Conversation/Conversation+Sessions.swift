import Logging
import ViewModelKit
import ViewModelProtocol

/// `session.*`, `rpc.discover` and `$/cancelRequest`: what concerns the connection itself (protocol, section 4).
extension Conversation {
    func attach(_ params: SessionAttach.Params, _ id: Bytes?) throws(ProtocolError) -> Dispatched {
        // First, so that a refusal is logged with the client's name.
        if let client = params.client { self.client = client }
        let key = SessionKey(uid: peer.uid, name: params.session?.text ?? Self.randomName())
        let configuration = host.configuration
        let linger = params.linger.map { min($0, configuration.maximumLingerSeconds) }
        let pending = PendingRequest(id: id.map { RequestID(lexeme: $0) } ?? .null)
        let conversation = LoopConfined(self, on: loop)
        let target = LoopConfined(pending, on: loop)
        let finding = try host.directory.findOrReserve(
            key,
            anyUser: peer.isAdmin,
            limit: configuration.limits.sessionsPerUser
        ) { session in
            conversation.run { $0.arrive(in: session, linger: linger, target.value, isMaker: false) }
        }
        switch finding {
        case .living(let session) where session.loop === loop:
            return .replied(move(to: session, linger: linger, created: false))
        case .living(let session):
            isMoving = true
            attachAcross(session, linger, target)
        case .absent where host.store == nil:
            return .replied(move(to: make(key, linger, saved: nil), linger: linger, created: true))
        case .absent:
            isMoving = true
            bringBack(key, linger, target)
        case .awaited:
            isMoving = true
        }
        return id == nil ? .replied(.null) : .pending(pending)
    }

    /// Makes the session whose name was reserved; the caller is on its loop.
    private func make(_ key: SessionKey, _ linger: Int?, saved: SavedSession?) -> Session {
        let configuration = host.configuration
        let session = Session(
            host: host,
            uid: key.uid,
            name: key.name,
            linger: linger ?? min(configuration.lingerSeconds, configuration.maximumLingerSeconds),
            loop: loop,
            saved: saved
        )
        host.directory.made(session)
        return session
    }

    /// Loads what was saved of a session, then makes it and attaches to it.
    private func bringBack(_ key: SessionKey, _ linger: Int?, _ target: LoopConfined<PendingRequest>) {
        guard let store = host.store else { return }
        let conversation = LoopConfined(self, on: loop)
        host.storeQueue.enqueue(key, on: loop.taskExecutor) { [host] in
            do {
                let saved = try await store.load(key)
                if saved != nil { try await store.touch(key) }
                conversation.run { conversation in
                    let session = conversation.make(key, linger, saved: saved)
                    conversation.arrive(in: session, linger: linger, target.value, isMaker: true)
                }
            } catch {
                let incident = host.incident(error, in: "loading a session", ["session": "\(key.name)"])
                host.directory.failed(key)
                conversation.run { $0.arrive(nil, target.value, .error(.internalError(incident: incident))) }
            }
        }
    }

    /// The session that the connection waited for lives, or could not be made.
    private func arrive(in session: Session?, linger: Int?, _ pending: PendingRequest, isMaker: Bool) {
        guard let session, !session.currentStatus.isEnded else {
            let incident = host.incident(SessionGone(), in: "attaching", metadata)
            return arrive(nil, pending, .error(.internalError(incident: incident)))
        }
        guard session.loop === loop else {
            return attachAcross(session, linger, LoopConfined(pending, on: loop))
        }
        guard !isClosed else {
            // Nobody is there any more: what was made must not stay for ever.
            session.core.beginLingerIfDeserted()
            return
        }
        arrive(session, pending, move(to: session, linger: linger, created: isMaker))
    }

    /// Ends the move and answers.
    private func arrive(_ session: Session?, _ pending: PendingRequest, _ reply: Reply) {
        isMoving = false
        complete(pending, reply)
        resumeAfterMove()
    }

    private func attachAcross(_ session: Session, _ linger: Int?, _ target: LoopConfined<PendingRequest>) {
        let conversation = LoopConfined(self, on: loop)
        session.run { core in
            let attachment = core.attach(conversation, linger: linger)
            let seat = Seat(session: session, attachment: LoopConfined(attachment, on: session.loop))
            let granted = core.linger
            conversation.run { conversation in
                let old = conversation.releaseSeat()
                conversation.take(seat)
                old.map(conversation.leave)
                let reply = conversation.attached(session, created: false, linger: granted)
                conversation.arrive(session, target.value, reply)
                if conversation.isClosed { conversation.releaseSeat().map(conversation.leave) }
            }
        }
    }

    /// Takes a seat in a session on this loop and leaves the old one.
    private func move(to session: Session, linger: Int?, created: Bool) -> Reply {
        // In the new session before out of the old one: a session attached to again does not end in between.
        let old = releaseSeat()
        let seat = sit(in: session, linger: linger)
        old.map(leave)
        return attached(session, created: created, linger: seat.session.core.linger)
    }

    private func attached(_ session: Session, created: Bool, linger: Int) -> Reply {
        do throws(ProtocolError) {
            return try encoding(
                SessionAttach.Result(
                    session: session.name ?? "",
                    created: created,
                    restored: created && session.isRestored,
                    epoch: session.epoch,
                    linger: linger,
                    daemon: DaemonInfo(name: host.name, version: host.version)
                )
            )
        } catch {
            return .error(error)
        }
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
        let name = params.session?.text ?? seat?.session.name
        let key = name.map { SessionKey(uid: peer.uid, name: $0) }
        if let key, let wanted = params.session?.text, host.directory.find(key, anyUser: peer.isAdmin) == nil {
            return try eraseSaved(key, wanted, id)
        }
        guard let session = seatSession(named: key) ?? seat?.session else {
            return .replied(.null)
        }
        let requester = LoopConfined(self, on: loop)
        if session.loop === loop {
            session.core.end(reason: "closed", requester: requester)
            guard let key = session.key, host.store != nil else { return .replied(.null) }
            return erase(key, id)
        }
        isMoving = true
        let pending = PendingRequest(id: id.map { RequestID(lexeme: $0) } ?? .null)
        let target = LoopConfined(pending, on: loop)
        session.run { core in
            core.end(reason: "closed", requester: requester)
            requester.run { conversation in
                if let key = session.key { conversation.eraseLater(key) }
                conversation.arrive(nil, target.value, .null)
            }
        }
        return id == nil ? .replied(.null) : .pending(pending)
    }

    /// The session that the client means: its own where it names none, else one that exists for it.
    private func seatSession(named key: SessionKey?) -> Session? {
        guard let key, key.name != seat?.session.name else { return seat?.session }
        return host.directory.find(key, anyUser: peer.isAdmin)
    }

    /// Erases what was saved of a session that does not live; it is an error when nothing was.
    private func eraseSaved(_ key: SessionKey, _ name: String, _ id: Bytes?) throws(ProtocolError) -> Dispatched {
        let known = host.directory.all(of: peer.uid).compactMap(\.name)
        let missing = ProtocolError.notFound(session: name, suggestions: Suggestions.close(to: name, among: known))
        guard let store = host.store else { throw missing }
        return afterStore(key, id) {
            try await store.load(key) == nil ? .error(missing) : .null
        } then: {
            try await store.erase(key)
        }
    }

    private func erase(_ key: SessionKey, _ id: Bytes?) -> Dispatched {
        guard let store = host.store else { return .replied(.null) }
        return afterStore(key, id) {
            .null
        } then: {
            try await store.erase(key)
        }
    }

    private func eraseLater(_ key: SessionKey) {
        guard let store = host.store else { return }
        host.storeQueue.enqueue(key, on: loop.taskExecutor) { try? await store.erase(key) }
    }

    /// Answers when the store has done its work on a session.
    private func afterStore(
        _ key: SessionKey,
        _ id: Bytes?,
        _ first: @escaping @Sendable () async throws -> Reply,
        then second: @escaping @Sendable () async throws -> Void
    ) -> Dispatched {
        let pending = PendingRequest(id: id.map { RequestID(lexeme: $0) } ?? .null)
        let conversation = LoopConfined(self, on: loop)
        let target = LoopConfined(pending, on: loop)
        let host = host
        // What the client asks next may be about this very session.
        isMoving = true
        host.storeQueue.enqueue(key, on: loop.taskExecutor) {
            let reply: Reply
            do {
                reply = try await first()
                if case .null = reply { try await second() }
            } catch {
                let incident = host.incident(error, in: "erasing a session", ["session": "\(key.name)"])
                return conversation.run { $0.arrive(nil, target.value, .error(.internalError(incident: incident))) }
            }
            conversation.run { $0.arrive(nil, target.value, reply) }
        }
        return id == nil ? .replied(.null) : .pending(pending)
    }

    func discover(_ params: NoParams) throws(ProtocolError) -> Dispatched {
        do {
            return .replied(.result(try host.discoveryDocument()))
        } catch {
            throw .internalError(incident: host.incident(error, in: "describing the types", metadata))
        }
    }

    func cancelRequest(_ params: ParamsReader) -> Dispatched {
        // What is no id names no request, and what names none is ignored.
        if let wanted = try? params.object(CancelRequest.Params.self) {
            inFlight[wanted.id]?.cancel?()
        }
        return .replied(.null)
    }

    /// The daemon ends, and the sessions have: the connection is closed.
    package func stop() {
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

/// The session that was waited for could not be made, or has ended again.
private struct SessionGone: Error {}
