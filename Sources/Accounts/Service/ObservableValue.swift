import Synchronization
import ViewModelKit

/// A value whose changes are sent to observers.
///
/// Isolation: used from anywhere. An update never waits for an observer.
package final class ObservableValue<Value: Equatable & Sendable>: Sendable {
    private struct State {
        var value: Value
        var observers: [Int: AsyncStream<Value>.Continuation] = [:]
        var lastNumber = 0
    }

    private let state: Mutex<State>
    private let endedStreams = EndedStreams<Int>()

    package init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    package var value: Value { state.withLock { $0.value } }

    /// Sets the value.
    ///
    /// An equal value notifies no observer.
    package func set(_ value: Value) {
        update { $0 = value }
    }

    /// Changes the value atomically.
    ///
    /// An equal result notifies no observer.
    ///
    /// `change` must not access this object.
    @discardableResult
    package func update<Outcome: Sendable>(_ change: @Sendable (inout Value) -> Outcome) -> Outcome {
        removeDeparted()
        return state.withLock { state in
            let former = state.value
            let outcome = change(&state.value)
            if !areExactlyEqual(state.value, former) {
                for observer in state.observers.values { observer.yield(state.value) }
            }
            return outcome
        }
    }

    /// Returns a stream of the current value and all later ones.
    ///
    /// It ends when it is released or its task is cancelled.
    ///
    /// A slow reader misses intermediate values and always gets the newest one.
    package func values() -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        removeDeparted()
        let number = state.withLock { state in
            state.lastNumber += 1
            state.observers[state.lastNumber] = continuation
            continuation.yield(state.value)
            return state.lastNumber
        }
        continuation.onTermination = { [endedStreams] _ in endedStreams.record(number) }
        return stream
    }

    private func removeDeparted() {
        let numbers = endedStreams.takeAll()
        guard !numbers.isEmpty else { return }
        // Release the removed continuations outside of the lock, because their end may run foreign code.
        let removed = state.withLock { state in numbers.map { state.observers.removeValue(forKey: $0) } }
        withExtendedLifetime(removed) {}
    }
}

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

    func takeAll() -> [Key] {
        keys.withLock { keys in
            defer { keys = [] }
            return keys
        }
    }
}
