import ViewModelHost
import ViewModelStorage

/// The saved sessions of all users, in memory.
struct SessionModel {
    /// The sessions, the least recently used one first.
    private(set) var sessions: [(key: SessionKey, saved: SavedSession)] = []

    func saved(_ key: SessionKey) -> SavedSession? { sessions.first { $0.key == key }?.saved }

    /// Saves changes.
    ///
    /// - Throws: what a store throws.
    mutating func save(_ changes: SessionChanges, _ bounds: StoreBounds) throws {
        guard var session = saved(changes.key) ?? (changes.isComplete ? SavedSession() : nil) else {
            throw SessionForgotten()
        }
        if let instances = changes.instances {
            for gone in Set(session.instances.map(\.id)).subtracting(instances.map(\.id)) {
                session.values = session.values.filter { $0.key.owner != gone && !$0.key.owner.hasPrefix("\(gone).") }
            }
            session.instances = instances
        }
        for value in changes.values { session.values[value.key] = value.text }
        guard Self.bytes(session) <= bounds.savedBytes else { throw SavedStateTooLarge(limit: bounds.savedBytes) }
        sessions.removeAll { $0.key == changes.key }
        sessions.append((changes.key, session))
        while changes.isComplete,
            sessions.filter({ $0.key.uid == changes.key.uid }).count > max(bounds.savedSessions, 1)
        {
            let oldest = sessions.firstIndex { session in
                session.key.uid == changes.key.uid && session.key != changes.key
                    && !changes.living.contains(session.key.name)
            }
            guard let oldest else { return }
            sessions.remove(at: oldest)
        }
    }

    mutating func erase(_ key: SessionKey) { sessions.removeAll { $0.key == key } }

    mutating func touch(_ key: SessionKey) {
        guard let saved = saved(key) else { return }
        erase(key)
        sessions.append((key, saved))
    }

    /// Returns the bytes that are counted for a session.
    private static func bytes(_ session: SavedSession) -> Int {
        session.values.filter(\.key.isCounted).reduce(0) {
            $0 + $1.key.owner.utf8.count + $1.key.name.utf8.count + $1.value.count
        }
            + session.instances.reduce(0) { $0 + $1.id.utf8.count + $1.type.utf8.count + ($1.arguments?.count ?? 0) }
    }
}
