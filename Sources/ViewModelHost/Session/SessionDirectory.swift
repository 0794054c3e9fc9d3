import Synchronization
import ViewModelProtocol

/// The named sessions of all users.
final class SessionDirectory: Sendable {
    struct Key: Hashable, Sendable {
        let uid: UInt32
        let name: String
    }

    private let sessions = Mutex<[Key: Session]>([:])

    /// Finds a living session; another uid's does not exist for a caller.
    func find(_ name: String, uid: UInt32) -> Session? {
        sessions.withLock { $0[Key(uid: uid, name: name)] }
    }

    /// Finds a session or makes it, in one go.
    ///
    /// - Throws: what `make` throws; it gets the number of the user's sessions.
    func findOrMake(
        _ name: String,
        uid: UInt32,
        make: (_ count: Int) throws(ProtocolError) -> Session
    ) throws(ProtocolError) -> (session: Session, created: Bool) {
        try sessions.withLock { sessions throws(ProtocolError) in
            let key = Key(uid: uid, name: name)
            if let session = sessions[key] { return (session, false) }
            let session = try make(sessions.keys.count { $0.uid == uid })
            sessions[key] = session
            return (session, true)
        }
    }

    func remove(_ session: Session) {
        guard let name = session.name else { return }
        let key = Key(uid: session.uid, name: name)
        sessions.withLock { sessions in
            if sessions[key] === session { sessions[key] = nil }
        }
    }

    /// The named sessions of a user, by name.
    func all(of uid: UInt32) -> [Session] {
        sessions.withLock { sessions in
            sessions.filter { $0.key.uid == uid }.map(\.value)
        }.sorted { ($0.name ?? "") < ($1.name ?? "") }
    }

    /// Every named session.
    var all: [Session] { sessions.withLock { Array($0.values) } }
}
