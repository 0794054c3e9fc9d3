import Logging
import ViewModelKit
import ViewModelProtocol

/// `session.*`, `rpc.discover` and `$/cancelRequest`: what concerns the connection itself (protocol, section 4).
extension RPCPeer {
    func attach(_ params: SessionAttach.Params, _ id: Bytes?) throws(ProtocolError) -> Dispatched {
        // First, so that a refusal is logged with the client's name.
        if let client = params.client { self.client = client.forLogs }
        let key = SessionKey(
            uid: try user(params.uid),
            name: params.session?.text ?? Self.randomName()
        )
        let configuration = host.configuration
        let attaching = AttachRequest(
            key: key,
            linger: params.linger.map { min($0, configuration.maximumLingerSeconds) },
            mayCreate: params.uid == nil,
            pending: LoopConfined(PendingRequest(id: id.map { RequestID(lexeme: $0) } ?? .null), on: loop)
        )
        let peer = LoopConfined(self, on: loop)
        let finding = try host.directory.findOrReserve(key, limit: configuration.limits.sessionsPerUser) { outcome in
            peer.run { $0.awaited(outcome, attaching) }
        }
        switch finding {
        case .living(let session) where session.loop === loop:
            return .replied(move(to: session, linger: attaching.linger, created: false))
        case .living(let session):
            isMoving = true
            attachAcross(session, attaching)
        case .absent where host.store == nil:
            guard attaching.mayCreate else {
                host.directory.failed(key, .missing)
                throw missing(key)
            }
            return .replied(move(to: make(attaching, saved: nil), linger: attaching.linger, created: true))
        case .absent:
            isMoving = true
            bringBack(attaching)
        case .awaited:
            isMoving = true
        }
        return id == nil ? .replied(.null) : .pending(attaching.pending.value)
    }

    /// The user whose session is meant: the caller, or for an admin the one that the params name.
    private func user(_ uid: UInt32?) throws(ProtocolError) -> UInt32 {
        guard let uid else { return identity.uid }
        try mayReachOthers(by: "uid")
        return uid
    }

    private func mayReachOthers(by member: String) throws(ProtocolError) {
        guard !identity.isAdmin else { return }
        throw .accessDenied(reason: "only the scope admin may use \(member)")
    }

    private func missing(_ key: SessionKey) -> ProtocolError {
        let known = suggestions(
            for: key.name,
            among: host.directory.names(of: key.uid, atMost: Suggestions.candidateLimit)
        )
        return .notFound(session: key.name, suggestions: known)
    }

    /// Makes the session whose name was reserved; the caller is on its loop.
    private func make(_ attaching: AttachRequest, saved: SavedSession?) -> Session {
        let configuration = host.configuration
        let session = Session(
            host: host,
            uid: attaching.key.uid,
            name: attaching.key.name,
            linger: attaching.linger ?? min(configuration.lingerSeconds, configuration.maximumLingerSeconds),
            loop: loop,
            saved: saved
        )
        host.directory.made(session)
        return session
    }

    /// Loads what was saved of a session, then makes it and attaches to it.
    private func bringBack(_ attaching: AttachRequest) {
        guard let store = host.store else { return }
        let key = attaching.key
        let peer = LoopConfined(self, on: loop)
        host.storeQueue.enqueue(key, on: loop.taskExecutor) { [host] in
            do {
                let saved = try await store.load(key)
                guard saved != nil || attaching.mayCreate else {
                    host.directory.failed(key, .missing)
                    return peer.run { $0.arrive(attaching, .error($0.missing(key))) }
                }
                if saved != nil { await host.touch(key, in: store) }
                peer.run { peer in
                    let session = peer.make(attaching, saved: saved)
                    peer.arrive(in: session, attaching, isMaker: true)
                }
            } catch {
                let incident = host.incident(error, in: "loading a session", ["session": "\(key.name)"])
                host.directory.failed(key, .failed)
                peer.run { $0.arrive(attaching, .error(.internalError(incident: incident))) }
            }
        }
    }

    /// The session that another connection was bringing back lives, or does not.
    private func awaited(_ outcome: SessionDirectory.Outcome, _ attaching: AttachRequest) {
        switch outcome {
        case .made(let session): arrive(in: session, attaching, isMaker: false)
        case .missing where attaching.mayCreate:
            // An admin has looked for it in vain, so this connection makes it.
            isMoving = true
            bringBackAfterAll(attaching)
        case .missing: arrive(attaching, .error(missing(attaching.key)))
        case .failed: arrive(attaching, .error(sessionGone()))
        }
    }

    /// Looks for the session again, after another connection has looked in vain.
    private func bringBackAfterAll(_ attaching: AttachRequest) {
        let peer = LoopConfined(self, on: loop)
        do throws(ProtocolError) {
            let limit = host.configuration.limits.sessionsPerUser
            let finding = try host.directory.findOrReserve(attaching.key, limit: limit) { outcome in
                peer.run { $0.awaited(outcome, attaching) }
            }
            switch finding {
            case .living(let session): arrive(in: session, attaching, isMaker: false)
            case .absent: bringBack(attaching)
            case .awaited: break
            }
        } catch {
            arrive(attaching, .error(error))
        }
    }

    /// The session that the connection waited for lives.
    private func arrive(in session: Session, _ attaching: AttachRequest, isMaker: Bool) {
        guard !session.currentStatus.isEnded else { return arrive(attaching, .error(sessionGone())) }
        guard session.loop === loop else { return attachAcross(session, attaching) }
        guard !isClosed else {
            // The connection is gone: the session that was made for it must not stay for ever.
            session.core.beginLingerIfDeserted()
            return
        }
        arrive(attaching, move(to: session, linger: attaching.linger, created: isMaker))
    }

    /// Ends the move and answers.
    private func arrive(_ attaching: AttachRequest, _ reply: Reply) {
        endMove(attaching.pending.value, reply)
    }

    private func endMove(_ pending: PendingRequest, _ reply: Reply) {
        isMoving = false
        guard !isClosed else { return }
        complete(pending, reply)
        resumeAfterMove()
    }

    private func sessionGone() -> ProtocolError {
        .internalError(incident: host.incident(SessionGone(), in: "attaching", metadata))
    }

    private func attachAcross(_ session: Session, _ attaching: AttachRequest) {
        let peer = LoopConfined(self, on: loop)
        session.run { core in
            guard !core.isEnded else {
                return peer.run { $0.arrive(attaching, .error($0.sessionGone())) }
            }
            let attachment = core.attach(peer, linger: attaching.linger)
            let handle = AttachmentHandle(session: session, attachment: LoopConfined(attachment, on: session.loop))
            let granted = core.linger
            peer.run { peer in
                guard !peer.isClosed else { return peer.leave(handle) }
                let old = peer.takeHandle()
                peer.take(handle)
                old.map(peer.leave)
                peer.arrive(attaching, peer.attached(session, created: false, linger: granted))
            }
        }
    }

    /// Takes a handle in a session on this loop and leaves the old one.
    private func move(to session: Session, linger: Int?, created: Bool) -> Reply {
        // In the new session before out of the old one: a session attached to again does not end in between.
        let old = takeHandle()
        let handle = attach(in: session, linger: linger)
        old.map(leave)
        return attached(session, created: created, linger: handle.session.core.linger)
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

    func listSessions(_ params: SessionList.Params) throws(ProtocolError) -> Dispatched {
        let isForAll = params.all ?? false
        if params.all != nil { try mayReachOthers(by: "all") }
        guard isAwaited else { return .replied(.null) }
        let sessions = isForAll ? host.directory.all : host.directory.all(of: identity.uid)
        // Written by hand: a user may have thousands.
        var writer = JSONWriter(reserving: 64 + 160 * sessions.count)
        writer.raw("{\"sessions\":[")
        for (index, session) in sessions.enumerated() {
            if index > 0 { writer.byte(UInt8(ascii: ",")) }
            session.writeListing(withUser: isForAll, to: &writer)
        }
        writer.raw("]}")
        return .replied(.result(writer.bytes))
    }

    func closeSession(_ params: SessionClose.Params, _ id: Bytes?) throws(ProtocolError) -> Dispatched {
        let uid = try user(params.uid)
        guard let wanted = params.session?.text else {
            guard params.uid == nil else {
                throw .invalidParams(path: "/session", expected: "the name of that user's session", found: "nothing")
            }
            guard let session = handle?.session else { return .replied(.null) }
            return end(session, id)
        }
        let key = SessionKey(uid: uid, name: wanted)
        guard let session = host.directory.find(key) else { return try eraseSaved(key, id) }
        return end(session, id)
    }

    /// Ends a living session and erases what was saved of it.
    private func end(_ session: Session, _ id: Bytes?) -> Dispatched {
        let requester = LoopConfined(self, on: loop)
        if session.loop === loop {
            session.core.end(SessionEnd(reason: .closed), requester: requester)
            guard let key = session.key else { return .replied(.null) }
            return erase(key, id)
        }
        isMoving = true
        let pending = PendingRequest(id: id.map { RequestID(lexeme: $0) } ?? .null)
        let target = LoopConfined(pending, on: loop)
        session.run { core in
            core.end(SessionEnd(reason: .closed), requester: requester)
            requester.run { peer in
                guard let key = session.key, let store = peer.host.store else {
                    return peer.endMove(target.value, .null)
                }
                peer.afterStore(key, target) {
                    try await store.erase(key)
                    return .null
                }
            }
        }
        return id == nil ? .replied(.null) : .pending(pending)
    }

    /// Erases what was saved of a session that does not live; it is an error when nothing was.
    private func eraseSaved(_ key: SessionKey, _ id: Bytes?) throws(ProtocolError) -> Dispatched {
        let missing = missing(key)
        guard let store = host.store else { throw missing }
        return afterStore(key, id) {
            guard try await store.load(key) != nil else { return .error(missing) }
            try await store.erase(key)
            return .null
        }
    }

    private func erase(_ key: SessionKey, _ id: Bytes?) -> Dispatched {
        guard let store = host.store else { return .replied(.null) }
        return afterStore(key, id) {
            try await store.erase(key)
            return .null
        }
    }

    /// Answers when the store has done its work on a session.
    private func afterStore(
        _ key: SessionKey,
        _ id: Bytes?,
        _ work: @escaping @Sendable () async throws -> Reply
    ) -> Dispatched {
        let pending = PendingRequest(id: id.map { RequestID(lexeme: $0) } ?? .null)
        afterStore(key, LoopConfined(pending, on: loop), work)
        return id == nil ? .replied(.null) : .pending(pending)
    }

    private func afterStore(
        _ key: SessionKey,
        _ target: LoopConfined<PendingRequest>,
        _ work: @escaping @Sendable () async throws -> Reply
    ) {
        let peer = LoopConfined(self, on: loop)
        let host = host
        // What the client asks next may be about this very session.
        isMoving = true
        host.storeQueue.enqueue(key, on: loop.taskExecutor) {
            let reply: Reply
            do {
                reply = try await work()
            } catch {
                let incident = host.incident(error, in: "erasing a session", ["session": "\(key.name)"])
                reply = .error(.internalError(incident: incident))
            }
            peer.run { $0.endMove(target.value, reply) }
        }
    }

    func discover(_ params: NoParams) throws(ProtocolError) -> Dispatched {
        guard isAwaited else { return .replied(.null) }
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
        sink?.finish()
    }

    func encoding(_ result: some Encodable) throws(ProtocolError) -> Reply {
        guard isAwaited else { return .null }
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

/// A `session.attach` that is under way.
private struct AttachRequest: Sendable {
    let key: SessionKey
    let linger: Int?
    /// Whether a session that neither lives nor is saved is created.
    let mayCreate: Bool
    let pending: LoopConfined<PendingRequest>
}

extension ClientInfo {
    /// The same, short enough to be kept for logs.
    fileprivate var forLogs: ClientInfo {
        var short = self
        short.name = String(name.prefix(128))
        short.version = version.map { String($0.prefix(64)) }
        return short
    }
}

/// The session that was waited for could not be made, or has ended again.
private struct SessionGone: Error {}
