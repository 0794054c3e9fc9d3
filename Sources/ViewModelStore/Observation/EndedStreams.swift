import Synchronization

/// Listeners that have gone and are still to be removed.
///
/// The end of a stream can be told under the lock of a task that is being cancelled, and `yield` takes that same lock. So
/// `onTermination` must not wait for a lock under which another thread yields: it notes the departure here, under a lock
/// that is held for nothing else. The next one who sends or begins to listen removes the listener.
final class EndedStreams<Key: Sendable>: Sendable {
    private let keys = Mutex<[Key]>([])

    func note(_ key: Key) {
        keys.withLock { $0.append(key) }
    }

    /// Takes all that were noted.
    func takeAll() -> [Key] {
        keys.withLock { keys in
            defer { keys = [] }
            return keys
        }
    }
}
