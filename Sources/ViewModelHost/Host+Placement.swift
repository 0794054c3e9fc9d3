import Logging
import ViewModelProtocol

/// The host's part in the moves of sessions between nodes (``SessionPlacement``).
///
/// The functions that wait run in the session's order of the ``StoreQueue``.
extension Host {
    /// Becomes the owner of a session, and returns what is saved of it.
    func acquire(
        _ key: SessionKey,
        _ mode: ClaimMode,
        mayCreate: Bool,
        from store: any Store
    ) async throws -> ClaimOutcome {
        if let placement { return try await placement.claim(key, mode, mayCreate: mayCreate) }
        guard let acquired = try await store.acquire(key, mayCreate: mayCreate) else { return .missing }
        if acquired.saved != nil { await touch(key, in: store) }
        return .acquired(acquired)
    }

    /// Returns the error for a client whose session could not be claimed, loaded or erased.
    ///
    /// A host that stops claims nothing, although the store may be there.
    func claimError(_ error: any Error, in activity: String, of key: SessionKey) -> ProtocolError {
        isStopping ? .shuttingDown : storeError(error, in: activity, ["session": "\(key.name)"])
    }

    /// Erases a session under the fence of its life here or, without one, after it was claimed.
    ///
    /// - Returns: Whether there was such a session.
    func erase(_ key: SessionKey, under fence: SessionFence?, from store: any Store) async throws -> Bool {
        if let fence {
            try await store.erase(key, under: fence)
            return true
        }
        let outcome: ClaimOutcome
        if let placement {
            outcome = try await placement.claim(key, .close, mayCreate: false)
        } else {
            outcome = try await store.acquire(key, mayCreate: false).map { .acquired($0) } ?? .missing
        }
        guard case .acquired(let acquired) = outcome else { return false }
        do {
            try await store.erase(key, under: acquired.fence)
        } catch {
            try? await placement?.release(key, under: acquired.fence)
            throw error
        }
        return true
    }

    /// The pause before a call of the placement is repeated that has failed.
    static let placementPause = Duration.seconds(5)

    /// Queues the end of the ownership of a session after its last save.
    ///
    /// - Parameters:
    ///   - key: the session.
    ///   - fence: the fence of its life here. The release of an old one has no effect.
    ///   - loop: the loop that runs the work and repeats a failed release; nil for neither.
    func release(_ key: SessionKey, under fence: SessionFence, on loop: (any SessionLoop)?) {
        guard let placement else { return }
        storeQueue.enqueue(.session(key), on: loop?.taskExecutor) {
            do {
                try await placement.release(key, under: fence)
            } catch {
                self.logStoreFailure("A session was not released", error, ["session": "\(key.name)"])
                guard !self.isStopping else { return }
                loop?.execute {
                    _ = loop?.schedule(after: Self.placementPause) { self.release(key, under: fence, on: loop) }
                }
            }
        }
    }

    /// Handles an event of the placement.
    ///
    /// Called on any thread.
    func handle(_ event: PlacementEvent) {
        switch event {
        case .requested(let key, let fence, let mode, let node):
            switch directory.find(key) {
            case .living(let session): session.run { $0.requested(mode, under: fence, by: node) }
            // The session is being created, or is about to leave. The request is repeated.
            case .reserved: break
            // An earlier release has failed.
            case nil: release(key, under: fence, on: nil)
            }
        case .lost(let key, let fence, let node):
            guard case .living(let session) = directory.find(key) else { return }
            session.run { $0.lost(under: fence, to: node) }
        }
    }
}
