import Synchronization
import ViewModelProtocol

/// The living sessions of all users, anonymous ones included, and the names that are reserved.
///
/// A name is reserved while its session is claimed, loaded, created or
/// erased. Others wait meanwhile.
final class SessionDirectory: Sendable {
    /// What the directory has under a name.
    enum Entry {
        case living(Session)
        /// A reserved name, with those who wait for it.
        case reserved(waiting: [CheckedContinuation<ProtocolError?, Never>])

        var session: Session? {
            if case .living(let session) = self { session } else { nil }
        }
    }

    private struct User {
        /// The living sessions, also those without a name.
        var sessions: [ObjectIdentifier: WeakSession] = [:]
        var entries: [String: Entry] = [:]

        var isEmpty: Bool { sessions.isEmpty && entries.isEmpty }
    }

    private struct WeakSession: Sendable {
        weak let session: Session?
    }

    private let users = Mutex<[UInt32: User]>([:])

    // MARK: Living sessions

    func add(_ session: Session) {
        users.withLock {
            $0[session.uid, default: User()].sessions[ObjectIdentifier(session)] = WeakSession(session: session)
        }
    }

    func remove(_ session: Session) {
        users.withLock { users in
            guard var user = users.removeValue(forKey: session.uid) else { return }
            user.sessions[ObjectIdentifier(session)] = nil
            if let name = session.name, user.entries[name]?.session === session { user.entries[name] = nil }
            if !user.isEmpty { users[session.uid] = user }
        }
    }

    /// Returns the living sessions of a user, or of all users for nil, in any order.
    func living(of uid: UInt32? = nil) -> [Session] {
        users.withLock { users in
            let chosen = uid.map { [users[$0]] } ?? Array(users.values)
            return chosen.flatMap { $0?.sessions.values.compactMap(\.session) ?? [] }
        }
    }

    // MARK: Names

    /// Returns what is under a name; if nothing is, reserves the name for the caller and returns nil.
    ///
    /// The caller of a reserved name calls ``fulfil(with:)`` or ``release(_:_:)`` next.
    ///
    /// - Throws: `limitExceeded` if the user has `limit` sessions and this one is new.
    func findOrReserve(_ key: SessionKey, limit: Int?) throws(ProtocolError) -> Entry? {
        try users.withLock { users throws(ProtocolError) in
            if let entry = users[key.uid]?.entries[key.name] { return entry }
            if let limit, users[key.uid]?.entries.count ?? 0 >= limit {
                throw .limitExceeded(limit: "limits.sessionsPerUser", value: limit)
            }
            users[key.uid, default: User()].entries[key.name] = .reserved(waiting: [])
            return nil
        }
    }

    /// Waits while a name is reserved, and returns the error of the attempt that has reserved it; nil for a success.
    func wait(for key: SessionKey) async -> ProtocolError? {
        await withCheckedContinuation { continuation in
            let waits = users.withLock { users in
                guard case .reserved(let waiting) = users[key.uid]?.entries[key.name] else { return false }
                users[key.uid]?.entries[key.name] = .reserved(waiting: waiting + [continuation])
                return true
            }
            if !waits { continuation.resume(returning: nil) }
        }
    }

    /// Returns what is under a name; nil for nothing.
    func find(_ key: SessionKey) -> Entry? {
        users.withLock { $0[key.uid]?.entries[key.name] }
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

    /// Registers the session whose name was reserved.
    func fulfil(with session: Session) {
        guard let key = session.key else { return }
        resolve(key, as: .living(session), nil)
    }

    /// Releases a name if it is reserved, with an error for those who wait; nil lets them look again.
    func release(_ key: SessionKey, _ failure: ProtocolError? = nil) {
        resolve(key, as: nil, failure)
    }

    private func resolve(_ key: SessionKey, as entry: Entry?, _ failure: ProtocolError?) {
        let waiting: [CheckedContinuation<ProtocolError?, Never>] = users.withLock { users in
            guard case .reserved(let waiting) = users[key.uid]?.entries[key.name] else { return [] }
            users[key.uid]?.entries[key.name] = entry
            if users[key.uid]?.isEmpty == true { users[key.uid] = nil }
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: failure) }
    }
}
