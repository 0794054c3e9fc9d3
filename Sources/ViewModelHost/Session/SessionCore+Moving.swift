import Logging
import ViewModelProtocol

/// The moves of a session to another node.
extension SessionCore {
    /// Lets another node have the session, or reports why it may not.
    ///
    /// Without an answer the request is repeated.
    func requested(_ mode: ClaimMode, under fence: SessionFence, by node: String) {
        guard !isEnded, let saver, saver.fence == fence else { return }
        guard mode != .close else { return leave(SessionClosed.Params(reason: .closed)) }
        guard mayLeave(mode) else { return reportSummary() }
        // If the changes cannot be saved, the session continues here.
        whenSaved { [weak session] failure in
            guard failure == nil, let session else { return }
            // The other callers of this save are answered first.
            session.loop.execute {
                let core = session.core
                guard !core.isEnded else { return }
                guard core.mayLeave(mode) else { return core.reportSummary() }
                core.leave(SessionClosed.Params(reason: .moved, node: node))
            }
        }
    }

    private func mayLeave(_ mode: ClaimMode) -> Bool { mode != .ifUnused || attachments.isEmpty }

    /// Ends and releases the session.
    ///
    /// A client that attaches meanwhile waits, and then asks for it on the other node.
    private func leave(_ end: SessionClosed.Params) {
        guard let session, let key = session.key, host.directory.reserveName(of: session) else { return }
        self.end(end)
        host.storeQueue.enqueue(.session(key), on: loop.taskExecutor) { [host] in
            host.directory.release(key)
        }
    }

    /// Ends the session because another node has taken it over.
    ///
    /// Nothing more is saved of it here.
    func lost(under fence: SessionFence, to node: String?) {
        guard let saver, saver.fence == fence else { return }
        saver.abandon()
        guard !isEnded else { return }
        logger.notice("A session lives on another node now", metadata: ["node": "\(node ?? "unknown")"])
        end(SessionClosed.Params(reason: .moved, node: node), releases: false)
    }

    /// Ends and releases a named session without executing actions, because the host stops and another node may have it.
    func leaveIfIdle() {
        guard host.placement != nil, session?.name != nil, !isEnded, executingActions == 0 else { return }
        end(SessionClosed.Params(reason: .stopping))
    }

    /// Queues a report of the session's summary to the other nodes, unless one is queued.
    func reportSummary() {
        guard let placement = host.placement, !isEnded, !isReportQueued, let saver, let session, let key = session.key
        else { return }
        isReportQueued = true
        host.storeQueue.enqueue(.report(key), on: loop.taskExecutor) { [fence = saver.fence] in
            await session.call { $0.isReportQueued = false }
            do {
                try await placement.report(session.summary, of: key, under: fence)
            } catch {
                session.run { $0.reportFailed(error) }
            }
        }
    }

    /// Reports the summary again after a pause, while the session lives.
    private func reportFailed(_ error: any Error) {
        host.logger.debug("A session was not reported to other nodes", metadata: ["error": "\(error)"])
        // Changes of the pause are in the repeated report.
        guard !isReportQueued else { return }
        isReportQueued = true
        _ = loop.schedule(after: Host.placementPause) { [weak session] in
            session?.run { core in
                core.isReportQueued = false
                core.reportSummary()
            }
        }
    }
}
