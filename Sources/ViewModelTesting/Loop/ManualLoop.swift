package import FoundationEssentials
import Synchronization
package import ViewModelHost
package import ViewModelKit

/// A loop without a thread.
///
/// It runs its work when a test requests it, on virtual time.
///
/// Any thread may add work. One thread at a time runs the loop.
package final class ManualLoop: SessionLoop {
    typealias Work = @Sendable () -> Void

    private struct Timer {
        let number: Int
        let due: Duration
        let work: Work
    }

    private struct State {
        var queue: [Work] = []
        var timers: [Timer] = []
        var lastNumber = 0
        var now = Duration.zero
        /// The date at time zero.
        var start = Date(timeIntervalSince1970: 1_767_225_600)
        /// The thread that runs the loop.
        ///
        /// With `keepsThread`, also the thread that ran it last.
        var thread: UInt?
        var depth = 0
        /// The number of pieces of work that came from outside of a run.
        var arrivals = 0
        /// Signalled by the next work.
        var waiting: [OneShotEvent] = []
        /// The bytes that the host keeps for each user.
        var heldBytes: [UInt32: Int] = [:]
    }

    private let state = Mutex(State())
    private let keepsThread: Bool
    private let executor = ManualTaskExecutor()

    /// Creates a loop at time zero.
    ///
    /// - Parameter keepsThread: whether the thread that ran the loop last counts as being on it until another thread
    ///   runs it. The test can then access objects of the loop directly. Use it if the test has no other loop.
    package init(keepsThread: Bool = false) {
        self.keepsThread = keepsThread
        executor.loop = self
    }

    package var isCurrent: Bool {
        state.withLock { $0.thread == Graph.thread }
    }

    /// The loop itself, so that the test runs each stretch of an action, including those in services.
    package var taskExecutor: (any LoopTaskExecutor)? { executor }

    package var now: Duration {
        state.withLock { $0.now }
    }

    /// The middle: a delay has its nominal length.
    package var chance: Double { 0.5 }

    package func count(heldBytes change: Int, of uid: UInt32) {
        state.withLock { $0.heldBytes[uid, default: 0] += change }
    }

    package func heldBytes(of uid: UInt32) -> Int {
        state.withLock { $0.heldBytes[uid] ?? 0 }
    }

    /// The date, which advances with virtual time.
    package var date: Date {
        get { state.withLock { $0.start + $0.now / .seconds(1) } }
        set { state.withLock { $0.start = newValue - $0.now / .seconds(1) } }
    }

    /// Whether the caller is inside of a run.
    package var isRunning: Bool {
        state.withLock { $0.depth > 0 && $0.thread == Graph.thread }
    }

    /// The number of pieces of work that came from outside of a run.
    package var arrivals: Int {
        state.withLock { $0.arrivals }
    }

    /// Whether the queue is empty.
    ///
    /// Timers do not count.
    package var isIdle: Bool {
        state.withLock { $0.queue.isEmpty }
    }

    /// The time of the next timer, or nil if there is none.
    package var nextDue: Duration? {
        state.withLock { $0.timers.map(\.due).min() }
    }

    package func execute(_ work: @escaping @Sendable () -> Void) {
        let waiting = state.withLock { state in
            state.queue.append(work)
            if state.depth == 0 || state.thread != Graph.thread { state.arrivals += 1 }
            defer { state.waiting = [] }
            return state.waiting
        }
        for event in waiting { event.signal() }
    }

    package func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any ScheduledWork {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.timers.append(Timer(number: state.lastNumber, due: state.now + max(delay, .zero), work: work))
            return state.lastNumber
        }
        return ManualWork(loop: self, number: number)
    }

    fileprivate func cancel(timer number: Int) {
        state.withLock { state in
            state.timers.removeAll { $0.number == number }
        }
    }

    // MARK: Running

    /// Runs the queued work, then `body`, then the work that these have added.
    @discardableResult
    package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        let isOutermost = enter()
        defer { leave() }
        guard isOutermost else { return try body() }
        drain()
        defer { drain() }
        return try body()
    }

    /// Runs the queued work and the work that it adds.
    package func run() {
        run {}
    }

    /// Runs the queued work once.
    ///
    /// The work that it adds stays in the queue.
    package func runOnce() {
        enter()
        defer { leave() }
        let queue = state.withLock { state in
            defer { state.queue = [] }
            return state.queue
        }
        for work in queue { work() }
    }

    /// Advances virtual time.
    ///
    /// Timers run at their times, in the order in which they are due.
    package func advance(by duration: Duration) {
        run {
            let end = now + duration
            drain()
            while let work = nextTimer(until: end) {
                work()
                drain()
            }
            state.withLock { $0.now = end }
        }
    }

    /// Waits until work is queued.
    ///
    /// Another thread may run the loop meanwhile.
    ///
    /// - Parameter known: the former value of ``arrivals``, so that work that has come and run since then also counts.
    /// - Throws: `CancellationError` when the waiting task is cancelled.
    package func waitForWork(after known: Int? = nil) async throws {
        let work = OneShotEvent()
        let isOver = state.withLock { state in
            if state.depth == 0 { state.thread = nil }
            let isOver = known.map { $0 != state.arrivals } ?? false || !state.queue.isEmpty
            if !isOver { state.waiting.append(work) }
            return isOver
        }
        if !isOver { try await work.wait() }
        try Task.checkCancellation()
    }

    /// Waits until work is queued, at most for a real time; returns whether it is.
    func waitForWork(atMost limit: Duration) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await self.waitForWork()
                return true
            }
            group.addTask {
                try await Task.sleep(for: limit)
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }

    /// Enters a run.
    ///
    /// Traps if another thread is inside of one.
    ///
    /// - Returns: whether this is the outermost run.
    @discardableResult
    private func enter() -> Bool {
        state.withLock { state in
            let thread = Graph.thread
            precondition(state.depth == 0 || state.thread == thread, "two threads use one harness at the same time")
            state.thread = thread
            state.depth += 1
            return state.depth == 1
        }
    }

    private func leave() {
        state.withLock { state in
            state.depth -= 1
            if state.depth == 0, !keepsThread { state.thread = nil }
        }
    }

    private func drain() {
        while let work = state.withLock({ $0.queue.isEmpty ? nil : $0.queue.removeFirst() }) {
            work()
        }
    }

    /// Removes the next timer that is due and sets the time to its own.
    private func nextTimer(until end: Duration) -> Work? {
        state.withLock { state in
            let due = state.timers.filter { $0.due <= end }
            guard let next = due.min(by: { ($0.due, $0.number) < ($1.due, $1.number) }) else { return nil }
            state.timers.removeAll { $0.number == next.number }
            state.now = max(state.now, next.due)
            return next.work
        }
    }
}

private struct ManualWork: ScheduledWork {
    weak let loop: ManualLoop?
    let number: Int

    func cancel() { loop?.cancel(timer: number) }
}
