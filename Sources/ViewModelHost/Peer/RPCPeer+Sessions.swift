import Logging
import ViewModelKit
import ViewModelProtocol

/// The handlers of `session.*`, `rpc.discover` and `$/cancelRequest` (protocol, section 4).
extension RPCPeer {
    func attach(_ params: SessionAttach.Params, _ id: Bytes?) throws(ProtocolError) -> Dispatched {
        // The name is set first, so that a rejection is logged with it.
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

    /// Returns the owner of the requested session: the caller, or the user that an admin names in the params.
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

    /// Creates the session whose name was reserved.
    ///
    /// The caller is on the new session's loop.
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

    /// Loads the saved session, then creates the session and attaches to it.
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

    /// Continues after another connection has loaded the session, or failed to.
    private func awaited(_ outcome: SessionDirectory.Outcome, _ attaching: AttachRequest) {
        switch outcome {
        case .made(let session): arrive(in: session, attaching, isMaker: false)
        case .missing where attaching.mayCreate:
            // An admin's attach found no session and must not create one. This connection may create it.
            isMoving = true
            bringBackAfterAll(attaching)
        case .missing: arrive(attaching, .error(missing(attaching.key)))
        case .failed: arrive(attaching, .error(sessionGone()))
        }
    }

    /// Repeats the look-up after another connection found no session.
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

    /// Attaches to the session that the connection waited for.
    private func arrive(in session: Session, _ attaching: AttachRequest, isMaker: Bool) {
        guard !session.currentStatus.isEnded else { return arrive(attaching, .error(sessionGone())) }
        guard session.loop === loop else { return attachAcross(session, attaching) }
        guard !isClosed else {
            // The connection has closed. The session that was created for it must still linger and end.
            session.core.beginLingerIfDeserted()
            return
        }
        arrive(attaching, move(to: session, linger: attaching.linger, created: isMaker))
    }

    /// Ends the move and sends the reply.
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
                guard !peer.isClosed else { return peer.detach(handle) }
                let old = peer.releaseHandle()
                peer.adopt(handle)
                old.map(peer.detach)
                peer.arrive(attaching, peer.attached(session, created: false, linger: granted))
            }
        }
    }

    /// Attaches to a session on this loop, then detaches from the old one.
    private func move(to session: Session, linger: Int?, created: Bool) -> Reply {
        // The attach precedes the detach. A session to which the client attaches again does not end in between.
        let old = releaseHandle()
        let handle = attach(to: session, linger: linger)
        old.map(detach)
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
        // Written without `Encodable`, because a user may have thousands of sessions.
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

    /// Ends a living session and erases its saved session.
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

    /// Erases a saved session that is not living.
    ///
    /// The reply is an error if there is no saved session.
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

    /// Replies after the store has finished its work on a session.
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
        // The client's next messages wait, because they may concern this session.
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
        // An invalid id matches no request. A cancellation without a matching request is ignored.
        if let wanted = try? params.object(CancelRequest.Params.self) {
            inFlight[wanted.id]?.cancel?()
        }
        return .replied(.null)
    }

    /// Closes the connection after the sessions have ended, because the daemon stops.
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

    /// Returns a random name, for a client that names no session.
    private static func randomName() -> String {
        "session-" + String(UInt64.random(in: .min ... .max), radix: 36)
    }
}

/// A `session.attach` in progress.
private struct AttachRequest: Sendable {
    let key: SessionKey
    let linger: Int?
    /// Whether to create the session if it is neither living nor saved.
    let mayCreate: Bool
    let pending: LoopConfined<PendingRequest>
}

extension ClientInfo {
    /// A copy that is short enough to be kept for logs.
    fileprivate var forLogs: ClientInfo {
        var short = self
        short.name = String(name.prefix(128))
        short.version = version.map { String($0.prefix(64)) }
        return short
    }
}

/// An error: the session that the connection waited for could not be created, or has ended again.
private struct SessionGone: Error {}
