package import ViewModelKit

/// The one thread on which sessions and the connections beside them live: an event loop, or a test's own.
package protocol SessionLoop: AnyObject, Sendable {
    /// Whether the caller is on this loop.
    var isCurrent: Bool { get }
    /// Time since some moment in the past, which never goes back.
    var now: Duration { get }
    /// What keeps all work of the loop's sessions on the loop; nil where the global pool does what belongs to no actor.
    var taskExecutor: (any LoopTaskExecutor)? { get }

    /// Runs `work` on the loop, after what was handed over before.
    func execute(_ work: @escaping @Sendable () -> Void)

    /// Counts bytes that are held, or with a negative number no longer held, for a user; the caller is on the loop.
    func count(heldBytes change: Int, of uid: UInt32)

    /// The bytes that are held for a user; the caller is on the loop.
    func heldBytes(of uid: UInt32) -> Int

    /// Runs `work` on the loop once `delay` has passed.
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any ScheduledWork
}

extension SessionLoop {
    /// The global pool.
    package var taskExecutor: (any LoopTaskExecutor)? { nil }

    /// Does nothing, on a loop that bounds no memory.
    package func count(heldBytes change: Int, of uid: UInt32) {}

    /// None, on a loop that bounds no memory.
    package func heldBytes(of uid: UInt32) -> Int { 0 }
}

/// A value that belongs to a loop, in the hands of somebody who may be elsewhere.
///
/// `@unchecked Sendable`. Proof: the value is reached through ``value`` only, which traps anywhere but on its loop; so
/// all uses are in one serial order.
package struct LoopConfined<Value>: @unchecked Sendable {
    private let stored: Value
    package let loop: any SessionLoop

    package init(_ value: Value, on loop: any SessionLoop) {
        self.stored = value
        self.loop = loop
    }

    /// The value; the caller is on its loop.
    package var value: Value {
        if !loop.isCurrent { fatalError("a value was used outside of its loop") }
        return stored
    }

    /// The value, for a caller who is on `caller`; nil where its loop is another.
    package func value(on caller: any SessionLoop) -> Value? {
        assert(caller.isCurrent)
        return loop === caller ? stored : nil
    }

    /// Runs `body` with the value on its loop: at once when the caller is there, else later.
    package func run(_ body: @escaping @Sendable (Value) -> Void) {
        if loop.isCurrent {
            body(stored)
        } else {
            loop.execute { body(self.value) }
        }
    }
}

extension LoopConfined where Value: AnyObject {
    /// Whether both hold the same object; asked from anywhere.
    func isSame(as other: LoopConfined<Value>) -> Bool { stored === other.stored }
}
