import Synchronization
import ViewModelHost

/// A store that keeps named sessions in memory for the duration of a test.
final class MemoryStore: Store {
    private let sessions: Mutex<[SessionKey: SavedSession]>

    init(_ sessions: [SessionKey: SavedSession] = [:]) {
        self.sessions = Mutex(sessions)
    }

    /// A copy of the store, for another daemon.
    var copy: MemoryStore { MemoryStore(sessions.withLock { $0 }) }

    func load(_ key: SessionKey) async throws -> SavedSession? {
        sessions.withLock { $0[key] }
    }

    func save(_ changes: SessionChanges) async throws {
        sessions.withLock { sessions in
            var session = sessions[changes.key] ?? SavedSession()
            if let instances = changes.instances {
                let gone = Set(session.instances.map(\.id)).subtracting(instances.map(\.id))
                session.instances = instances
                session.values = session.values.filter { key, _ in
                    !gone.contains { key.owner == $0 || key.owner.hasPrefix("\($0).") }
                }
            }
            for value in changes.values { session.values[value.key] = value.text }
            sessions[changes.key] = session
        }
    }

    func erase(_ key: SessionKey) async throws {
        sessions.withLock { $0[key] = nil }
    }

    func touch(_ key: SessionKey) async throws {}

    func eraseUnused(forDays days: Int) async throws {}
}
