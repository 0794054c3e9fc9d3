import Logging
import ViewModelProtocol

/// The host's part in the moves of sessions between nodes (``SessionPlacement``).
extension Host {
    /// The pause before a call of the placement is repeated that has failed.
    static let placementPause = Duration.seconds(5)

    /// Queues the end of the ownership of a session after its last save.
    ///
    /// The release of an old fence has no effect. The loop runs the work and repeats a failed release; nil for neither.
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
            // Also a session whose name is reserved, because it waits for its last save.
            guard let session = directory.living(of: key.uid).first(where: { $0.key == key }) else { return }
            session.run { $0.lost(under: fence, to: node) }
        }
    }
}
