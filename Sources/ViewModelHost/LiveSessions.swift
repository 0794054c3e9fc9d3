import Synchronization

/// The living sessions by user, anonymous ones included.
final class LiveSessions: Sendable {
    private let sessions = Mutex<[UInt32: [ObjectIdentifier: WeakSession]]>([:])

    func add(_ session: Session) {
        sessions.withLock { $0[session.uid, default: [:]][ObjectIdentifier(session)] = WeakSession(session: session) }
    }

    func remove(_ session: Session) {
        sessions.withLock { sessions in
            sessions[session.uid]?[ObjectIdentifier(session)] = nil
            if sessions[session.uid]?.isEmpty == true { sessions[session.uid] = nil }
        }
    }

    var all: [Session] { sessions.withLock { $0.values.flatMap { $0.values.compactMap(\.session) } } }

    /// Returns the sessions that have the values of an area.
    ///
    /// For the values of a user, it does not visit the sessions of others.
    func all(having area: ValueArea) -> [Session] {
        switch area {
        case .user(let uid): sessions.withLock { $0[uid]?.values.compactMap(\.session) ?? [] }
        case .daemon: all
        }
    }
}

private struct WeakSession: Sendable {
    weak let session: Session?
}
