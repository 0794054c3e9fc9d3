import Synchronization
import ViewModelProtocol

/// The named sessions of all users: those that live, and those that are being brought back.
final class SessionDirectory: Sendable {
    /// What came of looking for a session to attach to.
    enum Finding {
        case living(Session)
        /// Somebody else brings it back; the closure that was passed is told when it lives, or that it could not be.
        case awaited
        /// The caller has to make it, and to say so by ``SessionDirectory/made(_:)`` or ``SessionDirectory/failed(_:)``.
        case absent
    }

    private enum Entry {
        case living(Session)
        case coming([@Sendable (Session?) -> Void])
    }

    private let entries = Mutex<[SessionKey: Entry]>([:])

    /// Finds a living session; another uid's does not exist for a caller who is no admin.
    func find(_ key: SessionKey, anyUser: Bool = false) -> Session? {
        entries.withLock { entries in
            if case .living(let session) = entries[key] { return session }
            return anyUser ? Self.living(key.name, in: entries) : nil
        }
    }

    /// The living session of a name, whosever it is: that of the lowest uid.
    private static func living(_ name: String, in entries: [SessionKey: Entry]) -> Session? {
        let candidates = entries.filter { $0.key.name == name }.sorted { $0.key.uid < $1.key.uid }
        for case .living(let session) in candidates.map(\.value) { return session }
        return nil
    }

    /// Finds a session, or reserves its name for the caller who then makes it.
    ///
    /// - Parameters:
    ///   - anyUser: whether another user's session of that name will do where the caller has none.
    ///   - limit: how many sessions a user may have; over it, a new one is refused.
    func findOrReserve(
        _ key: SessionKey,
        anyUser: Bool,
        limit: Int,
        whenMade: @escaping @Sendable (Session?) -> Void
    ) throws(ProtocolError) -> Finding {
        try entries.withLock { entries throws(ProtocolError) in
            switch entries[key] {
            case .living(let session): return .living(session)
            case .coming(let waiting):
                entries[key] = .coming(waiting + [whenMade])
                return .awaited
            case nil:
                if anyUser, let session = Self.living(key.name, in: entries) { return .living(session) }
                guard entries.keys.count(where: { $0.uid == key.uid }) < limit else {
                    throw .limitExceeded(limit: "limits.sessionsPerUser", value: limit)
                }
                entries[key] = .coming([])
                return .absent
            }
        }
    }

    /// The session whose name was reserved lives now.
    func made(_ session: Session) {
        guard let key = session.key else { return }
        for tell in settle(key, as: .living(session)) { tell(session) }
    }

    /// The session whose name was reserved could not be made.
    func failed(_ key: SessionKey) {
        for tell in settle(key, as: nil) { tell(nil) }
    }

    private func settle(_ key: SessionKey, as entry: Entry?) -> [@Sendable (Session?) -> Void] {
        entries.withLock { entries in
            defer { entries[key] = entry }
            if case .coming(let waiting) = entries[key] { return waiting }
            return []
        }
    }

    func remove(_ session: Session) {
        guard let key = session.key else { return }
        entries.withLock { entries in
            if case .living(let living) = entries[key], living === session { entries[key] = nil }
        }
    }

    /// The living named sessions of a user, by name.
    func all(of uid: UInt32) -> [Session] {
        all.filter { $0.uid == uid }.sorted { ($0.name ?? "") < ($1.name ?? "") }
    }

    /// Every living named session.
    var all: [Session] {
        entries.withLock { entries in
            entries.values.compactMap { entry in
                if case .living(let session) = entry { session } else { nil }
            }
        }
    }
}
