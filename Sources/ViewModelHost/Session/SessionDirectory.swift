import Synchronization
import ViewModelProtocol

/// The named sessions of all users: the living ones, and those that are being loaded or created.
final class SessionDirectory: Sendable {
    /// The result of a look-up by `session.attach`.
    enum LookUp {
        case living(Session)
        /// Another connection loads the session. The closure of the caller receives the outcome.
        case awaited
        /// The name is reserved. The caller calls ``SessionDirectory/made(_:)`` or ``SessionDirectory/failed(_:_:)``
        /// next.
        case absent
    }

    /// The outcome of a reserved name.
    enum Outcome: Sendable {
        case made(Session)
        /// The session is neither living nor saved, and was not to be created.
        case missing
        /// The session could not be loaded; the incident is logged.
        case failed(incident: String)
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
        /// The living sessions by name; nil until the next listing.
        private var sorted: [Session]?

        mutating func living() -> [Session] {
            if let sorted { return sorted }
            let living = entries.values.compactMap(\.session).sorted { ($0.name ?? "") < ($1.name ?? "") }
            sorted = living
            return living
        }
    }

    private let users = Mutex<[UInt32: User]>([:])

    /// Returns a living session, or nil.
    func find(_ key: SessionKey) -> Session? {
        users.withLock { $0[key.uid]?.entries[key.name]?.session }
    }

    /// Returns a living session, or reserves its name for the caller.
    ///
    /// - Parameters:
    ///   - key: the user and name of the session.
    ///   - limit: the maximum number of sessions of a user.
    ///   - whenSettled: called with the outcome if another connection has reserved the name.
    /// - Returns: The session, or whether the caller waits or creates it.
    /// - Throws: `limitExceeded` if the user has `limit` sessions and this one is new.
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

    /// Registers the session whose name was reserved, and notifies the waiting connections.
    func made(_ session: Session) {
        guard let key = session.key else { return }
        for waiting in resolve(key, as: .living(session)) { waiting(.made(session)) }
    }

    /// Releases a reserved name after a failure, and notifies the waiting connections.
    func failed(_ key: SessionKey, _ outcome: Outcome) {
        for waiting in resolve(key, as: nil) { waiting(outcome) }
    }

    private func resolve(_ key: SessionKey, as entry: Entry?) -> [@Sendable (Outcome) -> Void] {
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

    /// Returns the living named sessions of a user, sorted by name.
    func all(of uid: UInt32) -> [Session] {
        users.withLock { $0[uid]?.living() ?? [] }
    }

    /// Returns the names of up to `limit` living sessions of a user.
    func names(of uid: UInt32, atMost limit: Int) -> [String] {
        users.withLock { users in
            Array((users[uid]?.entries ?? [:]).lazy.filter { $0.value.session != nil }.map(\.key).prefix(limit))
        }
    }

    /// The living named sessions of all users, sorted by uid and name.
    var all: [Session] {
        users.withLock { users in
            users.keys.sorted().flatMap { users[$0]?.living() ?? [] }
        }
    }
}
