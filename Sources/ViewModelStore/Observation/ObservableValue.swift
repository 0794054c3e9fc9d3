import Synchronization

/// A value that is told to everyone who looks on whenever it becomes another one.
///
/// Isolation: used from anywhere; never waits for who looks on.
public final class ObservableValue<Value: Equatable & Sendable>: Sendable {
    private struct State {
        var value: Value
        var observers: [Int: AsyncStream<Value>.Continuation] = [:]
        var lastNumber = 0
    }

    private let state: Mutex<State>
    private let endedStreams = EndedStreams<Int>()

    /// Begins with a value.
    public init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    /// What it is now.
    public var value: Value { state.withLock { $0.value } }

    /// Makes it another one; an equal one tells nobody.
    public func set(_ value: Value) {
        update { $0 = value }
    }

    /// Changes it in one go, whoever else does at the same time; an equal outcome tells nobody.
    ///
    /// `change` must not use this same value otherwise.
    @discardableResult
    public func update<Outcome: Sendable>(_ change: @Sendable (inout Value) throws -> Outcome) rethrows -> Outcome {
        removeDeparted()
        return try state.withLock { state in
            let former = state.value
            let outcome = try change(&state.value)
            if state.value != former {
                for observer in state.observers.values { observer.yield(state.value) }
            }
            return outcome
        }
    }

    /// What it is now, then what it becomes, until the stream is let go of or its task is cancelled.
    ///
    /// Who is slow misses what lies between and always gets the newest one.
    public func values() -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        removeDeparted()
        let number = state.withLock { state in
            state.lastNumber += 1
            state.observers[state.lastNumber] = continuation
            continuation.yield(state.value)
            return state.lastNumber
        }
        continuation.onTermination = { [endedStreams] _ in endedStreams.note(number) }
        return stream
    }

    private func removeDeparted() {
        let numbers = endedStreams.takeAll()
        guard !numbers.isEmpty else { return }
        // What is removed is released outside of the lock: its end may run foreign code.
        let removed = state.withLock { state in numbers.map { state.observers.removeValue(forKey: $0) } }
        withExtendedLifetime(removed) {}
    }
}
