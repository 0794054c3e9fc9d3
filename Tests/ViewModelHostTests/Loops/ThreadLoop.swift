import Foundation
import ViewModelHost
import ViewModelKit

/// A loop on a thread of its own, whose time stands still.
final class ThreadLoop: SessionLoop, @unchecked Sendable {
    // Proof of `@unchecked`: what is mutable is reached under the condition's lock only; `thread` is set in `init`.
    private let condition = NSCondition()
    private var queue: [@Sendable () -> Void] = []
    private var isStopped = false
    private var thread: Thread?

    init() {
        let ready = DispatchSemaphore(value: 0)
        let thread = Thread { [weak self] in
            ready.wait()
            while let work = self?.next() { work() }
        }
        self.thread = thread
        thread.start()
        ready.signal()
    }

    var isCurrent: Bool { Thread.current === thread }

    var now: Duration { .zero }

    func count(heldBytes change: Int, of uid: UInt32) {}

    func heldBytes(of uid: UInt32) -> Int { 0 }

    func execute(_ work: @escaping @Sendable () -> Void) {
        condition.withLock {
            queue.append(work)
            condition.signal()
        }
    }

    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any ScheduledWork { Never() }

    /// Runs `body` on the loop and waits for its result.
    func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
        let box = Box<Result>()
        let done = DispatchSemaphore(value: 0)
        execute {
            box.value = body()
            done.signal()
        }
        done.wait()
        guard let value = box.value else { fatalError("the loop did not run its work") }
        return value
    }

    func stop() {
        condition.withLock {
            isStopped = true
            condition.signal()
        }
    }

    private func next() -> (@Sendable () -> Void)? {
        condition.withLock {
            while queue.isEmpty, !isStopped { condition.wait() }
            return queue.isEmpty ? nil : queue.removeFirst()
        }
    }

    private final class Box<Value>: @unchecked Sendable {
        // Proof of `@unchecked`: written before and read after the semaphore that orders the two.
        var value: Value?
    }

    private struct Never: ScheduledWork {
        func cancel() {}
    }
}
