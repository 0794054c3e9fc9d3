import Logging
import ViewModelKit
import ViewModelProtocol

/// The handlers of `session.*`, `rpc.discover` and `$/cancelRequest` (protocol, section 4).
extension RPCPeer {
    func attachToSession(_ params: SessionAttach.Params, _ request: borrowing Request) throws(ProtocolError) -> Reply? {
        // The name is set first, so that a rejection is logged with it.
        if let client = params.client { self.client = client.forLogs }
        let key = SessionKey(
            uid: try user(params.uid),
            name: params.session?.text ?? Self.randomName()
        )
        let moves = params.move ?? false
        if moves, identity.scope < .act { throw .accessDenied(reason: "the scope observe does not permit move") }
        findSession(
            AttachRequest(
                key: key,
                mode: moves ? .move : .ifUnused,
                linger: params.linger.map { min($0, host.configuration.maximumLingerSeconds) },
                mayCreate: params.uid == nil,
                pending: pendingReply(to: request)
            )
        )
        return nil
    }

    /// Attaches to the session, which is living, saved or new.
    private func findSession(_ attaching: AttachRequest) {
        guard !isClosed else { return }
        let peer = LoopConfined(self, on: loop)
        do throws(ProtocolError) {
            guard !host.isStopping else { throw .shuttingDown }
            let limit = attaching.mayCreate ? host.configuration.limits.sessionsPerUser : nil
            let result = try host.directory.findOrReserve(attaching.key, limit: limit) { outcome in
                peer.run { $0.sessionResolved(outcome, attaching) }
            }
            switch result {
            case .living(let session): attach(to: session, attaching, created: false)
            case .reserved where host.store != nil: load(attaching)
            case .reserved where attaching.mayCreate:
                attach(to: create(attaching, nil), attaching, created: true)
            case .reserved:
                host.directory.release(attaching.key, .missing)
                throw missing(attaching.key)
            case .reservedByOther: isMoving = true
            }
        } catch {
            endMove(attaching.pending, .error(error))
        }
    }

    /// Continues after another connection has loaded, created or erased the session, or failed to.
    private func sessionResolved(_ outcome: SessionDirectory.Outcome, _ attaching: AttachRequest) {
        guard !isClosed else { return }
        switch outcome {
        case .created(let session): attach(to: session, attaching, created: false)
        // The session was erased, or an admin's attach found none. This connection may create it.
        case .missing where attaching.mayCreate: findSession(attaching)
        case .missing: endMove(attaching.pending, .error(missing(attaching.key)))
        case .left: findSession(attaching)
        case .occupied where attaching.mode == .move: findSession(attaching)
        case .occupied(let node, let attached):
            endMove(attaching.pending, .error(.sessionInUse(node: node, attached: attached)))
        case .failed(let error): endMove(attaching.pending, .error(error))
        }
    }

    /// Returns the owner of the requested session: the caller, or the user that an admin names in the params.
    private func user(_ uid: UInt32?) throws(ProtocolError) -> UInt32 {
        guard let uid else { return identity.uid }
        try requireAdmin(for: "uid")
        return uid
    }

    func requireAdmin(for member: String) throws(ProtocolError) {
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
    /// If an instance fails by an author's mistake while it is restored, the session is created again without it. The
    /// caller is on the new session's loop.
    private func create(_ attaching: AttachRequest, _ acquired: AcquiredSession?) -> Session {
        let configuration = host.configuration
        func make(_ acquired: AcquiredSession?) -> Session {
            Session(
                host: host,
                uid: attaching.key.uid,
                name: attaching.key.name,
                linger: attaching.linger ?? min(configuration.lingerSeconds, configuration.maximumLingerSeconds),
                loop: loop,
                acquired: acquired
            )
        }
        var acquired = acquired
        var session = make(acquired)
        while let failed = session.core.failedInstance {
            acquired?.saved?.remove(failed)
            session = make(acquired)
            // The store erases the instance with the next save.
            session.core.saver?.markInstancesChanged()
            session.core.saver?.stepEnded()
        }
        host.directory.fulfil(with: session)
        return session
    }

    /// Loads the saved session, from another node if it lives there, then creates the session and attaches to it.
    private func load(_ attaching: AttachRequest) {
        guard let store = host.store else { return }
        let key = attaching.key
        let peer = LoopConfined(self, on: loop)
        isMoving = true
        let executor = loop.taskExecutor
        host.present.enter(key.uid)
        host.storeQueue.enqueue(.session(key), on: executor) { [host] in
            // The session, or the connection of the user, keeps the data in memory after that.
            defer { peer.run { $0.host.present.leave(key.uid) } }
            do {
                await host.prepare(key.uid, on: executor)
                switch try await host.acquire(key, attaching.mode, mayCreate: attaching.mayCreate, from: store) {
                case .acquired(let acquired):
                    peer.run { $0.attach(to: $0.create(attaching, acquired), attaching, created: true) }
                case .missing:
                    host.directory.release(key, .missing)
                    peer.run { $0.endMove(attaching.pending, .error($0.missing(key))) }
                case .occupied(let node, let attached):
                    host.directory.release(key, .occupied(node: node, attached: attached))
                    peer.run { $0.endMove(attaching.pending, .error(.sessionInUse(node: node, attached: attached))) }
                }
            } catch {
                let failure = host.claimError(error, in: "loading a session", of: key)
                host.directory.release(key, .failed(failure))
                peer.run { $0.endMove(attaching.pending, .error(failure)) }
            }
        }
    }

    /// Attaches to the session that was found or created: on its loop, then on this one.
    ///
    /// The session may have ended since, or be about to end, for example with another client that has left. It is looked
    /// up again then.
    private func attach(to session: Session, _ attaching: AttachRequest, created: Bool) {
        if session.loop !== loop { isMoving = true }
        let peer = LoopConfined(self, on: loop)
        @Sendable func findAgain() { peer.run { $0.findSession(attaching) } }
        session.run { core in
            guard !core.isEnded else { return findAgain() }
            guard !core.waitForEnd(findAgain) else { return peer.run { $0.isMoving = true } }
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
                    daemon: DaemonInfo(name: host.name, version: host.version),
                    contract: host.contractHash,
                    limits: SessionAttach.Result.Limits(messageBytes: limits.messageBytes),
                    storage: host.store == nil || host.health.isStorageHealthy ? nil : "unavailable"
                )
            )
        } catch {
            return .error(error)
        }
    }

    func closeSession(_ params: SessionClose.Params, _ request: borrowing Request) throws(ProtocolError) -> Reply? {
        let uid = try user(params.uid)
        guard let wanted = params.session?.text else {
            guard params.uid == nil else {
                throw .invalidParams(path: "/session", expected: "the name of that user's session", found: "nothing")
            }
            if let endedSession { throw .sessionEnded(endedSession.name, reason: endedSession.reason) }
            guard let session = attachment?.session else { return .null }
            closeLiving(session, CloseRequest(wasLiving: true, isOwn: true, pending: pendingReply(to: request)))
            return nil
        }
        let key = SessionKey(uid: uid, name: wanted)
        let isOwn = attachment?.session.key == key
        closeSession(key, CloseRequest(wasLiving: false, isOwn: isOwn, pending: pendingReply(to: request)))
        return nil
    }

    /// Closes the session of a name, which is living, saved or missing.
    private func closeSession(_ key: SessionKey, _ closing: CloseRequest) {
        let peer = LoopConfined(self, on: loop)
        do throws(ProtocolError) {
            let result = try host.directory.findOrReserve(key, limit: nil) { _ in
                peer.run { $0.closeSession(key, closing) }
            }
            switch result {
            case .living(let session): closeLiving(session, closing)
            case .reserved where host.store != nil:
                isMoving = true
                Self.erase(key, nil, closing, on: loop, of: host, peer)
            case .reserved:
                host.directory.release(key, .missing)
                endClose(closing, of: key, isMissing: !closing.wasLiving)
            // Another connection loads, creates or erases the session.
            case .reservedByOther: isMoving = true
            }
        } catch {
            endMove(closing.pending, .error(error))
        }
    }

    /// Ends a living session and erases its saved state.
    private func closeLiving(_ session: Session, _ closing: CloseRequest) {
        let peer = LoopConfined(self, on: loop)
        let isSaved = session.key != nil && host.store != nil
        // The client's next messages wait, because they may concern this session.
        if isSaved || session.loop !== loop { isMoving = true }
        guard host.placement != nil, let store = host.store, let key = session.key else {
            return Self.endLiving(session, isSaved, closing, of: host, peer)
        }
        // While a store that several machines share is away, the session goes on.
        host.storeQueue.enqueue(.session(key), on: loop.taskExecutor) { [host] in
            do {
                try await store.touch(key)
                Self.endLiving(session, isSaved, closing, of: host, peer)
            } catch {
                let failure = host.claimError(error, in: "closing a session", of: key)
                peer.run { $0.endMove(closing.pending, .error(failure)) }
            }
        }
    }

    private static func endLiving(
        _ session: Session,
        _ isSaved: Bool,
        _ closing: CloseRequest,
        of host: Host,
        _ peer: LoopConfined<RPCPeer>
    ) {
        session.run { core in
            let end = SessionEnd(reason: .closed)
            guard let key = session.key, isSaved else {
                core.end(end, requester: peer)
                return peer.run { $0.endClose(closing, of: session.key, isMissing: false) }
            }
            // The name stays reserved until the saved state is erased, so that no connection loads it meanwhile.
            guard host.directory.reserveName(of: session) else {
                // The session has ended meanwhile. Its saved state is still to be erased.
                return peer.run { $0.closeSession(key, closing.afterEnd) }
            }
            let fence = core.saver?.fence
            core.end(end, requester: peer, releases: false)
            erase(key, fence, closing.afterEnd, on: session.loop, of: host, peer)
        }
    }

    /// Erases a saved session, on another node too if it lives there, then releases its reserved name and replies.
    ///
    /// `fence` is that of the session if it has lived here.
    private static func erase(
        _ key: SessionKey,
        _ fence: SessionFence?,
        _ closing: CloseRequest,
        on loop: any SessionLoop,
        of host: Host,
        _ peer: LoopConfined<RPCPeer>
    ) {
        guard let store = host.store else { return }
        host.storeQueue.enqueue(.session(key), on: loop.taskExecutor) {
            do {
                let wasErased = try await host.erase(key, under: fence, from: store)
                host.directory.release(key, .missing)
                let isMissing = !wasErased && !closing.wasLiving
                peer.run { $0.endClose(closing, of: key, isMissing: isMissing) }
            } catch is SessionMoved {
                // Another node has claimed the session meanwhile. It is closed there.
                host.directory.release(key, .left)
                peer.run { $0.closeSession(key, closing.afterEnd) }
            } catch {
                let failure = host.claimError(error, in: "erasing a session", of: key)
                host.directory.release(key, .failed(failure))
                peer.run { $0.endMove(closing.pending, .error(failure)) }
            }
        }
    }

    /// Sends the reply of a `session.close` that has ended.
    ///
    /// A client that has closed its own session continues in a new anonymous one, although another client or machine may
    /// have ended the session first.
    private func endClose(_ closing: CloseRequest, of key: SessionKey?, isMissing: Bool) {
        if let key, isMissing { return endMove(closing.pending, .error(missing(key))) }
        if closing.isOwn { endedSession = nil }
        endMove(closing.pending, .null)
    }

    /// Lowers the scope of the connection.
    func restrict(_ params: SessionRestrict.Params) throws(ProtocolError) -> Reply {
        lowerScope(to: params.scope)
        return try encoding(SessionRestrict.Result(scope: identity.scope))
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
    let mode: ClaimMode
    let linger: Int?
    /// Whether to create the session if it is neither living nor saved.
    let mayCreate: Bool
    let pending: LoopConfined<PendingReply>
}

/// A `session.close` in progress.
private struct CloseRequest: Sendable {
    /// Whether the session was living when it was found, so that it is not missing.
    let wasLiving: Bool
    /// Whether the client was attached to the session.
    let isOwn: Bool
    let pending: LoopConfined<PendingReply>

    /// The same request after the end of the session.
    var afterEnd: CloseRequest {
        CloseRequest(wasLiving: true, isOwn: isOwn, pending: pending)
    }
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
