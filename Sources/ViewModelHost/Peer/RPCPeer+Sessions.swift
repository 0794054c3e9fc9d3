import Logging
import ViewModelKit
import ViewModelProtocol

/// The handlers of `session.*`, `rpc.discover` and `$/cancelRequest` (protocol, section 4).
extension RPCPeer {
    func attachToSession(_ params: SessionAttach.Params, _ request: borrowing Request) throws(ProtocolError) -> Reply? {
        // The name is set first, so that a rejection is logged with it.
        if let client = params.client { self.client = client.forLogs }
        let key = SessionKey(
            uid: try user(params.uid, in: SessionAttach.name),
            name: params.session?.text ?? Self.randomName()
        )
        let moves = params.move ?? false
        if moves, identity.scope < .act { throw .accessDenied(reason: "the scope observe does not permit move") }
        let attach = AttachRequest(
            peer: LoopConfined(self, on: loop),
            pending: pendingReply(to: request),
            key: key,
            person: params.uid == nil ? identity.person : nil,
            mode: moves ? .move : .ifUnused,
            linger: params.linger.map { min($0, host.configuration.session.maximumLingerSeconds) },
            mayCreate: params.uid == nil
        )
        if let session = host.directory.find(key)?.session, session.loop === loop {
            session.core.attach(attach, to: session, created: false)
        } else {
            move(attach.pending) { [host] () async throws(ProtocolError) in try await host.attach(attach) }
        }
        return nil
    }

    /// Lets the next messages wait for work that ends with a reply, and replies if it has failed.
    ///
    /// The task is unstructured, because a message cannot wait. ``endMove(_:_:)`` ends it.
    func move(
        _ pending: LoopConfined<PendingReply>,
        _ work: @escaping @Sendable () async throws(ProtocolError) -> Void
    ) {
        isMoving = true
        let peer = LoopConfined(self, on: loop)
        Task(executorPreference: loop.taskExecutor) {
            do throws(ProtocolError) {
                try await work()
            } catch {
                peer.run { $0.endMove(pending, .error(error)) }
            }
        }
    }

    /// Replaces the attachment by that of a `session.attach`, and replies.
    func finishAttach(
        _ attachment: LoopConfined<Attachment>,
        created: Bool,
        linger: Int,
        _ pending: LoopConfined<PendingReply>
    ) {
        guard !isClosed else { return attachment.run { $0.core.detach($0) } }
        replaceAttachment(with: attachment)
        endMove(pending, attachReply(attachment.session, created: created, linger: linger))
    }

    /// Returns the owner of the requested session: the caller, or the user that an admin names in the params.
    private func user(_ uid: UInt32?, in method: String) throws(ProtocolError) -> UInt32 {
        guard let uid else { return identity.uid }
        try requireAdmin(for: "uid", in: method, of: uid)
        return uid
    }

    /// Checks that the client may reach the sessions of another user, or of all users, and logs it of a person.
    func requireAdmin(for member: String, in method: String, of user: UInt32? = nil) throws(ProtocolError) {
        guard identity.scope == .admin else { throw .accessDenied(reason: "only the scope admin may use \(member)") }
        guard case .person(_, let digest) = identity.delegation else { return }
        let details: Logger.Metadata = [
            "subject": "\(digest)", "method": "\(method)", "user": "\(user.map { "\($0)" } ?? "all")",
        ]
        host.logger.notice("A person acts as an administrator", metadata: metadata.merging(details) { $1 })
    }

    /// Sends the reply of `session.attach` or `session.close`, and resumes the messages that waited for it.
    func endMove(_ pending: LoopConfined<PendingReply>, _ reply: Reply) {
        let wasMoving = isMoving
        isMoving = false
        guard !isClosed else { return }
        pending.complete(reply)
        if wasMoving { sink?.resumeReading() }
    }

    private func attachReply(_ session: Session, created: Bool, linger: Int) -> Reply {
        host.reply(
            SessionAttach.Result(
                session: session.name ?? "",
                created: created,
                restored: created && session.isRestored,
                epoch: session.epoch,
                linger: linger,
                daemon: DaemonInfo(name: host.name, version: host.version),
                contract: host.contractHash,
                features: ["tags", "splices"],
                limits: SessionAttach.Result.Limits(messageBytes: limits.messageBytes),
                storage: host.store == nil || host.health.isStorageHealthy ? nil : "unavailable"
            ),
            metadata
        )
    }

    func closeSession(_ params: SessionClose.Params, _ request: borrowing Request) throws(ProtocolError) -> Reply? {
        let uid = try user(params.uid, in: SessionClose.name)
        let own = attachment?.session
        guard params.session != nil || params.uid == nil else {
            throw .invalidParams(path: "/session", expected: "the name of that user's session", found: "nothing")
        }
        if params.session == nil, let endedSession {
            throw .sessionEnded(endedSession.name, reason: endedSession.reason)
        }
        let wanted = params.session.map { SessionKey(uid: uid, name: $0.text) }
        guard wanted != nil || own != nil else { return .null }
        let isOwn = wanted == nil || wanted == own?.key
        let peer = LoopConfined(self, on: loop)
        let pending = pendingReply(to: request)
        move(pending) { [host] () async throws(ProtocolError) in
            if let key = wanted ?? own?.key {
                try await host.close(key, isKnown: wanted == nil, for: peer)
            } else {
                await own?.call { $0.end(SessionClosed.Params(reason: .closed), requester: peer) }
            }
            peer.run { peer in
                // A client that has closed its own session continues in a new anonymous one, although another client or
                // machine may have ended the session first.
                if isOwn { peer.endedSession = nil }
                peer.endMove(pending, .null)
            }
        }
        return nil
    }

    /// Lowers the scope of the connection, which a later configuration does not raise.
    func restrict(_ params: SessionRestrict.Params) -> Reply {
        highestScope = min(highestScope, params.scope)
        identity.scope = min(identity.scope, highestScope)
        return host.reply(SessionRestrict.Result(scope: identity.scope), metadata)
    }

    func discover(_ params: NoParams) -> Reply {
        .result(host.discoveryDocument())
    }

    func cancelRequest(_ params: ParamsReader) -> Reply {
        // An invalid id matches no request. A cancellation without a matching request is ignored.
        if let wanted = try? params.object(CancelRequest.Params.self) { inFlight[wanted.id]??.cancel() }
        return .null
    }

    /// Returns a random name, for a client that names no session.
    private static func randomName() -> String {
        "session-" + String(UInt64.random(in: .min ... .max), radix: 36)
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
