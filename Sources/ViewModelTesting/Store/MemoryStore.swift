import Synchronization
import ViewModelHost

/// A store that keeps named sessions and lasting values in memory for the duration of a test.
final class MemoryStore: Store {
    private let sessions: Mutex<[SessionKey: SavedSession]>
    private let values: Mutex<[ValueArea: [SavedValue.Key: [UInt8]]]>

    init(
        _ sessions: [SessionKey: SavedSession] = [:],
        values: [ValueArea: [SavedValue.Key: [UInt8]]] = [:]
    ) {
        self.sessions = Mutex(sessions)
        self.values = Mutex(values)
    }

    /// The largest number of bytes of the values of a user, the default of `limits.savedBytesPerSession`.
    private static var savedBytes: Int { 1 << 20 }

    /// A copy of the store, for another daemon.
    var copy: MemoryStore { MemoryStore(sessions.withLock { $0 }, values: values.withLock { $0 }) }

    /// Returns the values that are kept for a user or for the daemon.
    func savedValues(of area: ValueArea) -> [SavedValue.Key: [UInt8]] { values.withLock { $0[area] ?? [:] } }

    func loadValues(of area: ValueArea) async throws -> [SavedValue.Key: [UInt8]] { savedValues(of: area) }

    func save(_ changes: [LastingChange], of area: ValueArea) async throws -> [SavedValue.Key: [UInt8]] {
        try values.withLock { values in
            var changed = values[area] ?? [:]
            for value in changes { changed[value.key] = value.text }
            guard changed.reduce(0, { $0 + ($1.key.isCounted ? $1.value.count : 0) }) <= Self.savedBytes else {
                throw SavedStateTooLarge(limit: Self.savedBytes)
            }
            values[area] = changed
            return [:]
        }
    }

    func acquire(_ key: SessionKey, _ mode: ClaimMode, mayCreate: Bool) async throws -> AcquiredSession? {
        let saved = sessions.withLock { $0[key] }
        return saved == nil && !mayCreate ? nil : AcquiredSession(fence: .single, saved: saved)
    }

    func save(_ changes: SessionChanges) async throws {
        sessions.withLock { $0[changes.key, default: SavedSession()].apply(changes) }
    }

    func erase(_ key: SessionKey, under fence: SessionFence) async throws {
        sessions.withLock { $0[key] = nil }
    }

    func touch(_ key: SessionKey) async throws {}

    func eraseUnused(forDays days: Int) async throws {}
}
