import Synchronization

/// The ended streams whose observers are still to be removed.
///
/// A stream may end under the lock of a task that is being cancelled, and `yield` acquires the same lock. Therefore
/// `onTermination` must not wait for a lock under which another thread yields. It only records the end here, under a
/// lock that protects nothing else. The next update or subscription removes the observer.
final class EndedStreams<Key: Sendable>: Sendable {
    private let keys = Mutex<[Key]>([])

    func record(_ key: Key) {
        keys.withLock { $0.append(key) }
    }

    /// Returns and clears the recorded keys.
    func takeAll() -> [Key] {
        keys.withLock { keys in
            defer { keys = [] }
            return keys
        }
    }
}
