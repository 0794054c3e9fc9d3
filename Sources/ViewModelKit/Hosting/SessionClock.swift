import Synchronization

/// The clock of a session: real time in the daemon, virtual time in tests.
///
/// Isolation: confined to its session.
public final class SessionClock {
    private let graph: Graph

    package init(graph: Graph) {
        self.graph = graph
    }

    /// Time since some moment in the past; it never goes back.
    public var now: Duration { graph.now }

    /// Runs `body` in a step of its own after `delay`, unless the timer is cancelled or released.
    public func timer(after delay: Duration, _ body: @escaping () -> Void) -> SessionTimer {
        graph.schedule(after: delay, body)
    }

    /// Suspends an action for a while; what follows is a step of its own.
    ///
    /// - Throws: `CancellationError` as soon as the action is cancelled.
    public func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        let event = OneShotEvent()
        let timer = graph.schedule(after: max(duration, .zero)) { event.open() }
        // Off the session no timer runs, and the session is about to end.
        guard timer.isScheduled else { throw CancellationError() }
        defer { timer.cancel() }
        try await event.pass()
    }
}

/// A door that opens once: for one task that waits, from wherever.
final class OneShotEvent: Sendable {
    private enum State {
        case closed
        case waited(CheckedContinuation<Void, any Error>)
        case open
        case cancelled
    }

    private let state = Mutex(State.closed)

    func open() {
        settle(.open)?.resume()
    }

    /// Waits until the event opens or the task is cancelled.
    ///
    /// - Parameter isolation: the caller's; without it, Swift 6.3 runs the handler's closure on the global executor.
    func pass(isolation: isolated (any Actor)? = #isolation) async throws {
        try await withTaskCancellationHandler {
            _ = isolation
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    switch state {
                    case .closed, .waited:
                        state = .waited(continuation)
                        return nil
                    case .open: return .success(())
                    case .cancelled: return .failure(CancellationError())
                    }
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            settle(.cancelled)?.resume(throwing: CancellationError())
        }
    }

    private func settle(_ end: State) -> CheckedContinuation<Void, any Error>? {
        state.withLock { state in
            switch state {
            case .closed:
                state = end
                return nil
            case .waited(let continuation):
                state = end
                return continuation
            case .open, .cancelled: return nil
            }
        }
    }
}
