import Dispatch
import Synchronization

/// Holds a thread up until it is opened.
final class ManualLatch: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let entered = Atomic(false)

    /// Blocks; for a thread of the store's own.
    func wait() {
        entered.store(true, ordering: .sequentiallyConsistent)
        semaphore.wait()
    }

    /// Returns when somebody is held up.
    func someoneWaits() async {
        while !entered.load(ordering: .sequentiallyConsistent) { await Task.yield() }
    }

    func open() {
        semaphore.signal()
    }
}
