import Synchronization

/// Tells observers that a value has changed, which they then read.
///
/// Isolation: used from anywhere. A call never waits for an observer.
final class ChangeSignal: Sendable {
    private struct State {
        var observers: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    func send() {
        // `yield` acquires a lock under which a stream may end, so it runs outside of the lock that `onTermination` needs.
        for observer in state.withLock({ Array($0.observers.values) }) { observer.yield() }
    }

    /// Returns a stream with an element now and after later changes.
    ///
    /// A slow reader gets one element for several changes. The observation ends when the stream is released or its task
    /// is cancelled.
    func stream() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.lastNumber += 1
            state.observers[state.lastNumber] = continuation
            return state.lastNumber
        }
        continuation.onTermination = { [weak self] _ in
            // The continuation is released outside of the lock, because its end may run foreign code.
            _ = self?.state.withLock { $0.observers.removeValue(forKey: number) }
        }
        continuation.yield()
        return stream
    }
}
