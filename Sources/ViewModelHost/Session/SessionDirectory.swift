import Synchronization
import ViewModelProtocol

/// The named sessions of all users: those that live, and those that are being brought back.
final class SessionDirectory: Sendable {
    /// What came of looking for a session to attach to.
    enum Finding {
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

        var isLiving: Bool {
            if case .living = self { true } else { false }
        }
    }

    private let entries = Mutex<[SessionKey: Entry]>([:])

    /// Finds a living session.
    func find(_ key: SessionKey) -> Session? {
        entries.withLock { entries in
            if case .living(let session) = entries[key] { session } else { nil }
        }
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
    ) throws(ProtocolError) -> Finding {
        try entries.withLock { entries throws(ProtocolError) in
            switch entries[key] {
            case .living(let session): return .living(session)
            case .coming(let waiting):
                entries[key] = .coming(waiting + [whenSettled])
                return .awaited
            case nil:
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
        for waiting in settle(key, as: .living(session)) { waiting(.made(session)) }
    }

    /// The session whose name was reserved could not be made.
    func failed(_ key: SessionKey, _ outcome: Outcome) {
        for waiting in settle(key, as: nil) { waiting(outcome) }
    }

    private func settle(_ key: SessionKey, as entry: Entry?) -> [@Sendable (Outcome) -> Void] {
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

    /// The names of some living sessions of a user.
    func names(of uid: UInt32, atMost limit: Int) -> [String] {
        entries.withLock { entries in
            Array(entries.lazy.filter { $0.key.uid == uid && $0.value.isLiving }.map(\.key.name).prefix(limit))
        }
    }

    /// Every living named session, by uid and name.
    var sorted: [Session] { all.sorted { ($0.uid, $0.name ?? "") < ($1.uid, $1.name ?? "") } }

    /// Every living named session.
    var all: [Session] {
        entries.withLock { entries in
            entries.values.compactMap { entry in
                if case .living(let session) = entry { session } else { nil }
            }
        }
    }
}
