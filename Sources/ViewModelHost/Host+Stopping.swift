import Logging
import Synchronization

/// The end of a daemon.
extension Host {
    /// Waits until no action executes in any session, or until the grace is over.
    ///
    /// - Parameter tell: called with the number of actions that are waited for, when it is another than before.
    package func waitUntilIdle(atMost grace: Duration, tell: (Int) -> Void = { _ in }) async {
        let end = ContinuousClock.now + grace
        var told = 0
        while ContinuousClock.now < end {
            let actions = await executingActions()
            guard actions > 0 else { return }
            if actions != told { tell(actions) }
            told = actions
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Ends every session: actions are cancelled and answered, the clients of named ones told, what outlasts them saved.
    package func endSessions() async {
        for session in living.all {
            await session.stop()
        }
        await storeQueue.drain()
    }

    /// Erases saved sessions that nobody has been attached to for `session.keepDays`; those that live count as used.
    package func tidyStore() async {
        guard let store else { return }
        do {
            for key in directory.all.compactMap(\.key) {
                try await store.touch(key)
            }
            try await store.eraseUnused(forDays: configuration.keepDays)
        } catch {
            logger.error("Old sessions could not be erased", metadata: ["error": "\(error)"])
        }
    }

    /// Notes that a session is used; a store that cannot take the note, a full one for instance, keeps no client out.
    func touch(_ key: SessionKey, in store: any Store) async {
        do {
            try await store.touch(key)
        } catch {
            logRarely(.warning, "The use of a session could not be noted", ["error": "\(error)", "uid": "\(key.uid)"])
        }
    }

    private func executingActions() async -> Int {
        var actions = 0
        for session in living.all { actions += await session.executingActions }
        return actions
    }
}

/// The living sessions, anonymous ones included.
final class LiveSessions: Sendable {
    private let sessions = Mutex<[ObjectIdentifier: WeakSession]>([:])

    func add(_ session: Session) {
        sessions.withLock { $0[ObjectIdentifier(session)] = WeakSession(session: session) }
    }

    func remove(_ session: Session) {
        sessions.withLock { sessions in
            sessions[ObjectIdentifier(session)] = nil
        }
    }

    var all: [Session] { sessions.withLock { $0.values.compactMap(\.session) } }
}

private struct WeakSession: Sendable {
    weak let session: Session?
}
