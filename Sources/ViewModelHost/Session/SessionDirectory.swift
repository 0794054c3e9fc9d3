import Synchronization
import ViewModelProtocol

/// The named sessions of all users: those that live, and those that are being brought back.
final class SessionDirectory: Sendable {
    /// What came of looking for a session to attach to.
    enum LookUp {
        case living(Session)
        /// Another connection brings it back; the closure that was passed is called with what comes of that.
        case awaited
        /// The caller has to make it, and then calls ``SessionDirectory/made(_:)`` or ``SessionDirectory/failed(_:_:)``.
        case absent
    }

    /// What came of a reserved name.
    enum Outcome: Sendable {
        case made(Session)
        /// It neither lives nor is saved, and was not to be created.
        case missing
        /// It could not be loaded.
        case failed
    }

    private enum Entry {
        case living(Session)
        case coming([@Sendable (Outcome) -> Void])

        var session: Session? {
            if case .living(let session) = self { session } else { nil }
        }
    }

    /// The sessions of one user.
    private struct User {
        var entries: [String: Entry] = [:] {
            didSet { sorted = nil }
        }
        /// The living ones by name, once they have been listed.
        private var sorted: [Session]?

        mutating func living() -> [Session] {
            if let sorted { return sorted }
            let living = entries.values.compactMap(\.session).sorted { ($0.name ?? "") < ($1.name ?? "") }
            sorted = living
            return living
        }
    }

    private let users = Mutex<[UInt32: User]>([:])

    /// Finds a living session.
    func find(_ key: SessionKey) -> Session? {
        users.withLock { $0[key.uid]?.entries[key.name]?.session }
    }

    /// Finds a session, or reserves its name for the caller who then makes it.
    ///
    /// - Parameters:
    ///   - limit: how many sessions a user may have; over it, a new one is refused.
    ///   - whenSettled: called where another connection has reserved the name, with what came of that.
    func findOrReserve(
        _ key: SessionKey,
        limit: Int,
        whenSettled: @escaping @Sendable (Outcome) -> Void
    ) throws(ProtocolError) -> LookUp {
        try users.withLock { users throws(ProtocolError) in
            switch users[key.uid]?.entries[key.name] {
            case .living(let session): return .living(session)
            case .coming(let waiting):
                users[key.uid]?.entries[key.name] = .coming(waiting + [whenSettled])
                return .awaited
            case nil:
                guard users[key.uid]?.entries.count ?? 0 < limit else {
                    throw .limitExceeded(limit: "limits.sessionsPerUser", value: limit)
                }
                users[key.uid, default: User()].entries[key.name] = .coming([])
                return .absent
            }
        }
    }

    /// The session whose name was reserved lives now.
    func made(_ session: Session) {
        guard let key = session.key else { return }
        for waiting in settle(key, as: .living(session)) { waiting(.made(session)) }
    }

    /// The session whose name was reserved could not be made.
    func failed(_ key: SessionKey, _ outcome: Outcome) {
        for waiting in settle(key, as: nil) { waiting(outcome) }
    }

    private func settle(_ key: SessionKey, as entry: Entry?) -> [@Sendable (Outcome) -> Void] {
        users.withLock { users in
            let former = users[key.uid]?.entries[key.name]
            Self.set(key, entry, in: &users)
            if case .coming(let waiting) = former { return waiting }
            return []
        }
    }

    func remove(_ session: Session) {
        guard let key = session.key else { return }
        users.withLock { users in
            if users[key.uid]?.entries[key.name]?.session === session { Self.set(key, nil, in: &users) }
        }
    }

    private static func set(_ key: SessionKey, _ entry: Entry?, in users: inout [UInt32: User]) {
        users[key.uid, default: User()].entries[key.name] = entry
        if users[key.uid]?.entries.isEmpty == true { users[key.uid] = nil }
    }

    /// The living named sessions of a user, by name.
    func all(of uid: UInt32) -> [Session] {
        users.withLock { $0[uid]?.living() ?? [] }
    }

    /// The names of some living sessions of a user.
    func names(of uid: UInt32, atMost limit: Int) -> [String] {
        users.withLock { users in
            Array((users[uid]?.entries ?? [:]).lazy.filter { $0.value.session != nil }.map(\.key).prefix(limit))
        }
    }

    /// Every living named session, by uid and name.
    var all: [Session] {
        users.withLock { users in
            users.keys.sorted().flatMap { users[$0]?.living() ?? [] }
        }
    }
}
