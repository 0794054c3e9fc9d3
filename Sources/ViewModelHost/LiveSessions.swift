import Synchronization

/// The living sessions by user, anonymous ones included.
final class LiveSessions: Sendable {
    private let sessions = Mutex<[UInt32: [ObjectIdentifier: WeakSession]]>([:])
    private let present: PresentUsers

    /// Creates an empty list, whose sessions keep the data of their users in memory.
    init(_ present: PresentUsers) {
        self.present = present
    }

    func add(_ session: Session) {
        present.enter(session.uid)
        sessions.withLock { $0[session.uid, default: [:]][ObjectIdentifier(session)] = WeakSession(session: session) }
    }

    func remove(_ session: Session) {
        let wasThere = sessions.withLock { sessions in
            let removed = sessions[session.uid]?.removeValue(forKey: ObjectIdentifier(session))
            if sessions[session.uid]?.isEmpty == true { sessions[session.uid] = nil }
            return removed != nil
        }
        if wasThere { present.leave(session.uid) }
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
