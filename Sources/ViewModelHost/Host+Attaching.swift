import Logging
import ViewModelKit
import ViewModelProtocol

/// A `session.attach` in progress.
struct AttachRequest: Sendable {
    /// The client, on whose loop the session is created.
    let peer: LoopConfined<RPCPeer>
    let pending: LoopConfined<PendingReply>
    let key: SessionKey
    /// The person who owns the session and attaches; nil for a Unix user and for an administrator.
    let person: User.Identity?
    /// What may happen to the clients that are attached on another node.
    let mode: ClaimMode
    /// The new linger in seconds; nil to keep the former one.
    let linger: Int?
    /// Whether to create the session if it is neither living nor saved.
    let mayCreate: Bool

    /// Whether the error of another attach to the session is also the outcome of this one.
    func shares(_ failure: ProtocolError) -> Bool {
        switch failure.code {
        case .notFound: !mayCreate
        case .sessionInUse: mode == .ifUnused
        default: true
        }
    }
}

/// The ways of `session.attach` and `session.close` (protocol, section 4).
extension Host {
    /// Attaches a client to a named session, which is living, saved, on another node or new.
    ///
    /// The client has its reply when this returns.
    ///
    /// - Throws: the error for the client.
    func attach(_ request: AttachRequest) async throws(ProtocolError) {
        let key = request.key
        var hasWaited = false
        while !isStopping {
            // The client may have closed its connection meanwhile.
            if hasWaited, await request.peer.call({ $0.isClosed }) { return }
            hasWaited = true
            let limit = request.mayCreate ? configuration.limits.sessionsPerUser : nil
            switch try directory.findOrReserve(key, limit: limit) {
            case .living(let session):
                let isAttached = await session.call { core in
                    // It may have ended since, or be about to end.
                    guard self.directory.find(key)?.session === session else { return false }
                    core.attach(request, to: session, created: false)
                    return true
                }
                if isAttached { return }
            case .reserved:
                if let failure = await directory.wait(for: key), request.shares(failure) { throw failure }
            case nil:
                return try await releasing(key, afterFailureIn: "loading a session") { try await load(request) }
            }
        }
        throw .shuttingDown
    }

    /// Claims the session whose name is reserved, starts it and attaches the client.
    private func load(_ request: AttachRequest) async throws {
        let (key, executor) = (request.key, request.peer.loop.taskExecutor)
        let isPrepared = present.enter(key.uid)
        // The session, or the connection of the user, keeps the data in memory after that.
        defer { present.leave(key.uid) }
        // A store that no other machine shares does not tell when values can be read that could not be read before.
        if !isPrepared || placement == nil { await prepare(key.uid, on: executor) }
        let claimed = try await storeQueue.perform(.session(key), on: executor) {
            guard !self.isStopping else { throw ProtocolError.shuttingDown }
            return try await self.claim(key, request.mode, mayCreate: request.mayCreate)
        }
        guard let claimed else { throw missing(key) }
        await request.peer.call { _ in
            let session = self.start(request, claimed)
            self.directory.fulfil(with: session)
            session.core.attach(request, to: session, created: true)
        }
    }

    /// Closes a named session: ends it where it lives, and erases what is saved of it.
    ///
    /// A session that is known to the client is not missing. The client is not notified of the end.
    func close(_ key: SessionKey, isKnown: Bool, for requester: LoopConfined<RPCPeer>) async throws(ProtocolError) {
        let executor = requester.loop.taskExecutor
        var isKnown = isKnown
        while true {
            var fence: SessionFence?
            switch try directory.findOrReserve(key, limit: nil) {
            case .reserved:
                _ = await directory.wait(for: key)
                continue
            case .living(let session):
                isKnown = true
                try await checkShared(key, on: executor)
                let held = await session.call { core -> SessionFence? in
                    // The name stays reserved until the saved state is erased, so that no connection loads it meanwhile.
                    guard self.directory.reserveName(of: session) else { return nil }
                    core.end(SessionClosed.Params(reason: .closed), requester: requester, releases: false)
                    return core.saver?.fence ?? .single
                }
                // It has ended meanwhile. Its saved state is still to be erased.
                guard let held else { continue }
                fence = held
            case nil: break
            }
            let wasErased: Bool? = try await releasing(key, afterFailureIn: "erasing a session") { [fence] in
                do {
                    return try await storeQueue.perform(.session(key), on: executor) {
                        try await self.erase(key, under: fence)
                    }
                } catch is SessionMoved {
                    return nil
                }
            }
            directory.release(key)
            if let wasErased {
                guard wasErased || isKnown else { throw missing(key) }
                return
            }
            // Another node has claimed the session meanwhile. It is closed there.
            isKnown = true
        }
    }

    /// Runs `body`, which needs the reserved name, and releases the name if it fails.
    private func releasing<Result>(
        _ key: SessionKey,
        afterFailureIn activity: String,
        _ body: () async throws -> Result
    ) async throws(ProtocolError) -> Result {
        do {
            return try await body()
        } catch {
            let failure = claimError(error, in: activity, of: key)
            directory.release(key, failure)
            throw failure
        }
    }

    /// Makes this host the writer of a session, and returns what is saved of it; nil if there is no such session.
    private func claim(_ key: SessionKey, _ mode: ClaimMode, mayCreate: Bool) async throws -> AcquiredSession? {
        guard let store else { return mayCreate ? AcquiredSession(fence: .single, saved: nil) : nil }
        return try await store.acquire(key, mode, mayCreate: mayCreate)
    }

    /// Starts the session whose name was reserved.
    ///
    /// If an instance fails by an author's mistake while it is restored, the session is started again without it. The
    /// caller is on the new session's loop.
    private func start(_ request: AttachRequest, _ claimed: AcquiredSession) -> Session {
        func make(_ claimed: AcquiredSession) -> Session {
            Session(
                host: self,
                uid: request.key.uid,
                person: request.person,
                name: request.key.name,
                linger: request.linger
                    ?? min(configuration.session.lingerSeconds, configuration.session.maximumLingerSeconds),
                loop: request.peer.loop,
                acquired: claimed
            )
        }
        var claimed = claimed
        var session = make(claimed)
        while let failed = session.core.failedInstance {
            claimed.saved?.remove(failed)
            session = make(claimed)
            // The store erases the instance with the next save.
            session.core.saver?.instancesChanged = true
            session.core.saver?.stepEnded()
        }
        return session
    }

    /// Checks that a store which several machines share is there.
    ///
    /// While it is away, a session goes on.
    private func checkShared(_ key: SessionKey, on executor: (any TaskExecutor)?) async throws(ProtocolError) {
        guard placement != nil, let store else { return }
        do {
            try await storeQueue.perform(.session(key), on: executor) { try await store.touch(key) }
        } catch {
            throw claimError(error, in: "closing a session", of: key)
        }
    }

    /// Erases a session under the fence of its life here or, without one, after it was claimed.
    private func erase(_ key: SessionKey, under fence: SessionFence?) async throws -> Bool {
        guard let store else { return false }
        if let fence {
            try await store.erase(key, under: fence)
            return true
        }
        guard let claimed = try await claim(key, .close, mayCreate: false) else { return false }
        do {
            try await store.erase(key, under: claimed.fence)
        } catch {
            try? await placement?.release(key, under: claimed.fence)
            throw error
        }
        return true
    }

    /// Returns the error for a client whose session could not be claimed, loaded or erased.
    ///
    /// A host that stops claims nothing, although the store may be there.
    private func claimError(_ error: any Error, in activity: String, of key: SessionKey) -> ProtocolError {
        if let error = error as? ProtocolError { return error }
        return isStopping ? .shuttingDown : storeError(error, in: activity, ["session": "\(key.name)"])
    }

    private func missing(_ key: SessionKey) -> ProtocolError {
        let known = directory.living(of: key.uid).compactMap(\.name)
        return .notFound(session: key.name, suggestions: Suggestions.close(to: key.name, among: known))
    }
}
