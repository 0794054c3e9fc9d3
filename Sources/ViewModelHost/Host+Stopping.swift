import Logging
import ViewModelProtocol

/// The stop of a daemon.
extension Host {
    /// Waits until no action executes in any session, or until the grace period is over.
    ///
    /// - Parameters:
    ///   - grace: the longest wait.
    ///   - report: called with the number of executing actions whenever it has changed.
    package func waitUntilIdle(atMost grace: Duration, report: (Int) -> Void = { _ in }) async {
        let end = ContinuousClock.now + grace
        var reported = 0
        while ContinuousClock.now < end {
            let actions = await executingActions()
            guard actions > 0 else { return }
            if actions != reported { report(actions) }
            reported = actions
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Ends every session, and waits until the store has saved them.
    ///
    /// Actions are cancelled and answered, and clients of named sessions are notified.
    package func endSessions() async {
        for session in directory.living() {
            await session.call { $0.end(SessionClosed.Params(reason: .stopping)) }
        }
        for area in lasting.unsavedAreas() { save(area, on: nil) }
        await storeQueue.drain()
    }

    /// Erases saved sessions without a client for `session.keepDays`.
    ///
    /// Living sessions count as used.
    package func eraseUnusedSessions() async {
        guard let store else { return }
        do {
            for key in directory.living().compactMap(\.key) {
                try await store.touch(key)
            }
            try await store.eraseUnused(forDays: configuration.session.keepDays)
        } catch {
            logStoreFailure("Old sessions could not be erased", error)
        }
    }

    private func executingActions() async -> Int {
        var actions = 0
        for session in directory.living() { actions += await session.call { $0.executingActions } }
        return actions
    }
}
