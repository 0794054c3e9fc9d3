import Synchronization
import ViewModelProtocol

/// The named sessions of all users: the living ones, and the names that a connection has reserved.
///
/// A connection reserves a name while it loads, creates or erases the session. Others wait for the outcome.
final class SessionDirectory: Sendable {
    /// The result of a look-up by `session.attach` or `session.close`.
    enum LookUpResult {
        case living(Session)
        /// Another connection has reserved the name. The caller's closure receives the outcome.
        case reservedByOther
        /// The name is now reserved. The caller calls ``SessionDirectory/fulfil(with:)`` or
        /// ``SessionDirectory/release(_:_:)`` next.
        case reserved
    }

    /// The outcome of a reserved name.
    enum Outcome: Sendable {
        case created(Session)
        /// The session is neither living nor saved: it was not to be created, or it was erased.
        case missing
        /// The session has left for another node, or could not be erased under its former fence. Look it up again.
        case left
        /// Clients are attached to the session on another node.
        case occupied(node: String, attached: Int)
        /// The session could not be loaded or erased; the cause is logged.
        case failed(ProtocolError)
    }

    /// What the directory has under a name.
    enum Finding {
        case living(Session)
        case reserved
    }

    private enum Entry {
        case living(Session)
        case reserved(waiting: [@Sendable (Outcome) -> Void])

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

    /// Returns a living session, or reserves its name for the caller.
    ///
    /// - Parameters:
    ///   - key: the user and name of the session.
    ///   - limit: the maximum number of sessions of a user; nil for no limit.
    ///   - completion: called with the outcome if another connection has reserved the name.
    /// - Returns: The session, or whether the caller or another connection has reserved its name.
    /// - Throws: `limitExceeded` if the user has `limit` sessions and this one is new.
    func findOrReserve(
        _ key: SessionKey,
        limit: Int?,
        completion: @escaping @Sendable (Outcome) -> Void
    ) throws(ProtocolError) -> LookUpResult {
        try users.withLock { users throws(ProtocolError) in
            switch users[key.uid]?.entries[key.name] {
            case .living(let session): return .living(session)
            case .reserved(let waiting):
                users[key.uid]?.entries[key.name] = .reserved(waiting: waiting + [completion])
                return .reservedByOther
            case nil:
                if let limit, users[key.uid]?.entries.count ?? 0 >= limit {
                    throw .limitExceeded(limit: "limits.sessionsPerUser", value: limit)
                }
                users[key.uid, default: User()].entries[key.name] = .reserved(waiting: [])
                return .reserved
            }
        }
    }

    /// Returns the living session of a name, or whether the name is reserved; nil for neither.
    func find(_ key: SessionKey) -> Finding? {
        users.withLock { users in
            switch users[key.uid]?.entries[key.name] {
            case .living(let session): .living(session)
            case .reserved: .reserved
            case nil: nil
            }
        }
    }

    /// Reserves the name of a living session that is about to be closed, or to leave for another node.
    ///
    /// The session then counts as absent. ``release(_:_:)`` follows once its saved state is erased, or once it is
    /// released.
    ///
    /// - Returns: false if the session is not the living one of its name any more.
    func reserveName(of session: Session) -> Bool {
        guard let key = session.key else { return false }
        return users.withLock { users in
            guard users[key.uid]?.entries[key.name]?.session === session else { return false }
            users[key.uid]?.entries[key.name] = .reserved(waiting: [])
            return true
        }
    }

    /// Registers the session whose name was reserved, and notifies the waiting connections.
    func fulfil(with session: Session) {
        guard let key = session.key else { return }
        for waiting in resolve(key, as: .living(session)) { waiting(.created(session)) }
    }

    /// Releases a reserved name of which no session lives, and notifies the waiting connections.
    func release(_ key: SessionKey, _ outcome: Outcome) {
        for waiting in resolve(key, as: nil) { waiting(outcome) }
    }

    private func resolve(_ key: SessionKey, as entry: Entry?) -> [@Sendable (Outcome) -> Void] {
        users.withLock { users in
            let former = users[key.uid]?.entries[key.name]
            Self.set(key, entry, in: &users)
            if case .reserved(let waiting) = former { return waiting }
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
