import Synchronization

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
