import Synchronization

/// A number that counts from 1.
final class Counter: Sendable {
    private let count = Mutex(0)

    /// The latest number.
    var value: Int { count.withLock { $0 } }

    /// Returns the next number.
    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
