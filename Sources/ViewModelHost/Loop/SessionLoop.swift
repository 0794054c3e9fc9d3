package import FoundationEssentials
package import ViewModelKit

/// The single thread of sessions and their connections: an event loop, or a test's own.
package protocol SessionLoop: AnyObject, Sendable {
    /// Whether the caller is on this loop.
    var isCurrent: Bool { get }
    /// The time of a monotonic clock.
    var now: Duration { get }
    /// The date and the time of day.
    var date: Date { get }
    /// A number from 0 to 1 for delays that must differ; random unless the time is virtual.
    var chance: Double { get }
    /// The executor that keeps all work of the sessions on the loop; nil to run nonisolated work on the global pool.
    var taskExecutor: (any LoopTaskExecutor)? { get }

    /// Runs `work` on the loop, after all earlier work.
    func execute(_ work: @escaping @Sendable () -> Void)

    /// Adds to the bytes that are held for a user; negative for released ones. The caller is on the loop.
    func count(heldBytes change: Int, of uid: UInt32)

    /// Returns the bytes that are held for a user. The caller is on the loop.
    func heldBytes(of uid: UInt32) -> Int

    /// Runs `work` on the loop once `delay` has passed.
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any ScheduledWork
}

extension SessionLoop {
    /// The date of the system's clock.
    package var date: Date { Date() }

    /// A random number.
    package var chance: Double { .random(in: 0...1) }

    /// Nil, for the global pool.
    package var taskExecutor: (any LoopTaskExecutor)? { nil }
}

/// A value that is confined to a loop, for code that may run elsewhere.
///
/// `@unchecked Sendable`. Proof: the value is used on its loop only, so all uses are in one serial order. ``value`` traps
/// elsewhere. ``run(_:)`` hops. ``value(on:)`` returns nil for a value of another loop; it trusts the caller to be on
/// `caller`, and only a debug build checks that. `isSame(as:)` compares references. `session` is a constant of a
/// `Sendable` type.
package struct LoopConfined<Value>: @unchecked Sendable {
    private let stored: Value
    package let loop: any SessionLoop

    package init(_ value: Value, on loop: any SessionLoop) {
        self.stored = value
        self.loop = loop
    }

    /// The value.
    ///
    /// Traps if the caller is not on its loop.
    package var value: Value {
        if !loop.isCurrent { fatalError("a value was used outside of its loop") }
        return stored
    }

    /// Returns the value to a caller on the loop `caller`; nil if the value is confined to another loop.
    package func value(on caller: any SessionLoop) -> Value? {
        assert(caller.isCurrent)
        return loop === caller ? stored : nil
    }

    /// Runs `body` with the value on its loop: at once if the caller is on it, else later.
    package func run(_ body: @escaping @Sendable (Value) -> Void) {
        if loop.isCurrent {
            body(stored)
        } else {
            loop.execute { body(self.value) }
        }
    }

    /// Runs `body` with the value on its loop, and returns its result.
    package func call<Result: Sendable>(_ body: @escaping @Sendable (Value) -> Result) async -> Result {
        await withCheckedContinuation { continuation in run { continuation.resume(returning: body($0)) } }
    }
}

extension LoopConfined where Value: AnyObject {
    /// Returns whether both hold the same object.
    ///
    /// May be called from any thread.
    func isSame(as other: LoopConfined<Value>) -> Bool { stored === other.stored }
}

extension LoopConfined<Attachment> {
    /// The session of an attachment, a constant.
    ///
    /// May be read on any thread.
    var session: Session { stored.session }
}

/// A task executor that keeps all work of sessions on their loop, so that a test controls every stretch of it.
///
/// Swift 6.3 starts an immediate task without regard to its executor preference. At the first call that names its
/// isolation, the task leaves its thread and returns with the preference. The executor claims that job and runs it
/// before the start returns, so that the first stretch stays one step.
package protocol LoopTaskExecutor: TaskExecutor {
    /// Starts a task in a session, and runs the jobs that ``claim(_:)`` has accepted meanwhile.
    func start(in session: Session, _ start: () -> Task<Void, Never>) -> Task<Void, Never>

    /// Accepts a job of a session while a task is being started. Returns whether it was accepted.
    func claim(_ job: UnownedJob) -> Bool
}
