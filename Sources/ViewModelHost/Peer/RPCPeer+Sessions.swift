import Logging
import ViewModelKit
import ViewModelProtocol

/// The handlers of `session.*`, `rpc.discover` and `$/cancelRequest` (protocol, section 4).
extension RPCPeer {
    func attach(_ params: SessionAttach.Params, _ request: borrowing Request) throws(ProtocolError) -> Reply? {
        // The name is set first, so that a rejection is logged with it.
        if let client = params.client { self.client = client.forLogs }
        let key = SessionKey(
            uid: try user(params.uid),
            name: params.session?.text ?? Self.randomName()
        )
        lookUp(
            AttachRequest(
                key: key,
                linger: params.linger.map { min($0, host.configuration.maximumLingerSeconds) },
                mayCreate: params.uid == nil,
                pending: pendingReply(to: request)
            )
        )
        return nil
    }

    /// Attaches to the session, which is living, saved or new.
    private func lookUp(_ attaching: AttachRequest) {
        guard !isClosed else { return }
        let peer = LoopConfined(self, on: loop)
        do throws(ProtocolError) {
            let limit = host.configuration.limits.sessionsPerUser
            let finding = try host.directory.findOrReserve(attaching.key, limit: limit) { outcome in
                peer.run { $0.lookedUp(outcome, attaching) }
            }
            switch finding {
            case .living(let session): attach(to: session, attaching, created: false)
            case .absent where host.store != nil: load(attaching)
            case .absent where attaching.mayCreate: attach(to: create(attaching, saved: nil), attaching, created: true)
            case .absent:
                host.directory.failed(attaching.key, .missing)
                throw missing(attaching.key)
            case .awaited: isMoving = true
            }
        } catch {
            endMove(attaching.pending, .error(error))
        }
    }

    /// Continues after another connection has loaded or created the session, or failed to.
    private func lookedUp(_ outcome: SessionDirectory.Outcome, _ attaching: AttachRequest) {
        guard !isClosed else { return }
        switch outcome {
        case .made(let session): attach(to: session, attaching, created: false)
        // An admin's attach found no session and must not create one. This connection may create it.
        case .missing where attaching.mayCreate: lookUp(attaching)
        case .missing: endMove(attaching.pending, .error(missing(attaching.key)))
        case .failed(let incident): endMove(attaching.pending, .error(.internalError(incident: incident)))
        }
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
    private func create(_ attaching: AttachRequest, saved: SavedSession?) -> Session {
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
    private func load(_ attaching: AttachRequest) {
        guard let store = host.store else { return }
        let key = attaching.key
        let peer = LoopConfined(self, on: loop)
        isMoving = true
        host.storeQueue.enqueue(key, on: loop.taskExecutor) { [host] in
            do {
                let saved = try await store.load(key)
                guard saved != nil || attaching.mayCreate else {
                    host.directory.failed(key, .missing)
                    return peer.run { $0.endMove(attaching.pending, .error($0.missing(key))) }
                }
                if saved != nil { await host.touch(key, in: store) }
                peer.run { $0.attach(to: $0.create(attaching, saved: saved), attaching, created: true) }
            } catch {
                let incident = host.incident(error, in: "loading a session", ["session": "\(key.name)"])
                host.directory.failed(key, .failed(incident: incident))
                peer.run { $0.endMove(attaching.pending, .error(.internalError(incident: incident))) }
            }
        }
    }

    /// Attaches to the session that was found or created: on its loop, then on this one.
    ///
    /// The session may have ended since, for example with another client that has left. It is looked up again then.
    private func attach(to session: Session, _ attaching: AttachRequest, created: Bool) {
        if session.loop !== loop { isMoving = true }
        let peer = LoopConfined(self, on: loop)
        session.run { core in
            guard !core.isEnded else { return peer.run { $0.lookUp(attaching) } }
            let attachment = session.attach(peer, linger: attaching.linger)
            let linger = core.linger
            peer.run { peer in
                guard !peer.isClosed else { return attachment.run { $0.detach() } }
                peer.replaceAttachment(with: attachment)
                peer.endMove(attaching.pending, peer.attached(session, created: created, linger: linger))
            }
        }
    }

    /// Sends the reply of `session.attach` or `session.close`, and resumes the messages that waited for it.
    private func endMove(_ pending: LoopConfined<PendingReply>, _ reply: Reply) {
        let wasMoving = isMoving
        isMoving = false
        guard !isClosed else { return }
        pending.complete(reply)
        if wasMoving { sink?.resumeReading() }
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

    func listSessions(_ params: SessionList.Params) throws(ProtocolError) -> Reply {
        let isForAll = params.all ?? false
        if params.all != nil { try mayReachOthers(by: "all") }
        guard isAwaited else { return .null }
        let sessions = isForAll ? host.directory.all : host.directory.all(of: identity.uid)
        // Written without `Encodable`, because a user may have thousands of sessions.
        var writer = JSONWriter(reserving: 64 + 160 * sessions.count)
        writer.raw("{\"sessions\":[")
        for (index, session) in sessions.enumerated() {
            if index > 0 { writer.byte(UInt8(ascii: ",")) }
            session.writeListing(withUser: isForAll, to: &writer)
        }
        writer.raw("]}")
        return .result(writer.bytes)
    }

    func closeSession(_ params: SessionClose.Params, _ request: borrowing Request) throws(ProtocolError) -> Reply? {
        let uid = try user(params.uid)
        guard let wanted = params.session?.text else {
            guard params.uid == nil else {
                throw .invalidParams(path: "/session", expected: "the name of that user's session", found: "nothing")
            }
            guard let session = attachment?.session else { return .null }
            end(session, request)
            return nil
        }
        let key = SessionKey(uid: uid, name: wanted)
        if let session = host.directory.find(key) {
            end(session, request)
            return nil
        }
        // A saved session that is not living is erased.
        let missing = missing(key)
        guard let store = host.store else { throw missing }
        afterStore(key, pendingReply(to: request)) {
            guard try await store.load(key) != nil else { return .error(missing) }
            try await store.erase(key)
            return .null
        }
        return nil
    }

    /// Ends a living session and erases its saved session.
    private func end(_ session: Session, _ request: borrowing Request) {
        let peer = LoopConfined(self, on: loop)
        let pending = pendingReply(to: request)
        if session.loop !== loop { isMoving = true }
        session.run { core in
            core.end(SessionEnd(reason: .closed), requester: peer)
            peer.run { $0.erase(session, pending) }
        }
    }

    /// Erases the saved session of a session that has ended.
    private func erase(_ session: Session, _ pending: LoopConfined<PendingReply>) {
        guard let key = session.key, let store = host.store else { return endMove(pending, .null) }
        afterStore(key, pending) {
            try await store.erase(key)
            return .null
        }
    }

    /// Replies after the store has finished its work on a session.
    private func afterStore(
        _ key: SessionKey,
        _ pending: LoopConfined<PendingReply>,
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
            peer.run { $0.endMove(pending, reply) }
        }
    }

    func discover(_ params: NoParams) -> Reply {
        isAwaited ? .result(host.discoveryDocument()) : .null
    }

    func cancelRequest(_ params: ParamsReader) -> Reply {
        // An invalid id matches no request. A cancellation without a matching request is ignored.
        if let wanted = try? params.object(CancelRequest.Params.self) { inFlight[wanted.id]??.cancel() }
        return .null
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
    let pending: LoopConfined<PendingReply>
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
