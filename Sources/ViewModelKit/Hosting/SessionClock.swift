public import FoundationEssentials
import Synchronization

/// The clock of a session: real time in the daemon, virtual time in tests.
///
/// Isolation: confined to its session.
public final class SessionClock {
    private let graph: Graph

    package init(graph: Graph) {
        self.graph = graph
    }

    /// The time since an arbitrary moment in the past.
    ///
    /// It never decreases.
    public var now: Duration { graph.now }

    /// The date and the time of day.
    ///
    /// In tests it advances with virtual time. Unlike ``now`` it follows the system's clock, which may be set.
    public var date: Date { graph.session?.date ?? Date(timeIntervalSince1970: 0) }

    /// A random number from 0 to 1 for delays that must differ; 0.5 in tests, whose virtual time is exact.
    package var chance: Double { graph.session?.chance ?? 0.5 }

    /// Runs `body` before each save, and within each save interval, while a condition holds.
    ///
    /// Use it for what follows from the clock, such as the position of a player: `body` writes it into a restorable cell.
    /// It runs in a step. It does not run in a daemon without a store.
    ///
    ///     saving = clock.willSave(while: $isPlaying) { [unowned self] in heard = position }
    ///
    /// - Parameters:
    ///   - condition: whether the values change at present.
    ///   - body: writes the values into cells.
    /// - Returns: the work, which ends when it is released.
    public func willSave(while condition: Signal<Bool>, _ body: @escaping () -> Void) -> SavePreparation {
        SavePreparation(while: condition, body)
    }

    /// Runs `body` in its own step after `delay`, unless the timer is cancelled or released.
    public func timer(after delay: Duration, _ body: @escaping () -> Void) -> SessionTimer {
        graph.schedule(after: delay, body)
    }

    /// Suspends an action.
    ///
    /// It continues in a new step.
    ///
    /// - Parameter duration: the time to wait. A negative one counts as zero.
    /// - Throws: `CancellationError` as soon as the action is cancelled.
    public func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        let event = OneShotEvent()
        let timer = graph.schedule(after: max(duration, .zero)) { event.signal() }
        // A timer that was started outside of the session never fires. The session is about to end.
        guard timer.isScheduled else { throw CancellationError() }
        defer { timer.cancel() }
        try await event.wait()
    }
}

/// An event that happens once and resumes at most one waiting task.
///
/// Thread-safe.
package final class OneShotEvent: Sendable {
    private struct State {
        var outcome: Result<Void, any Error>?
        var waiting: CheckedContinuation<Void, any Error>?
    }

    private let state = Mutex(State())

    package init() {}

    package func signal() {
        end(.success(()))
    }

    /// Waits until the event happens or the task is cancelled.
    ///
    /// - Parameter isolation: the caller's isolation. Without it, Swift 6.3 runs the handler's closure on the global
    ///   executor.
    /// - Throws: `CancellationError` when the task is cancelled before the event happens.
    package func wait(isolation: isolated (any Actor)? = #isolation) async throws {
        try await withTaskCancellationHandler {
            _ = isolation
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state in
                    if state.outcome == nil { state.waiting = continuation }
                    return state.outcome
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            end(.failure(CancellationError()))
        }
    }

    private func end(_ outcome: Result<Void, any Error>) {
        let waiting = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            return state.waiting.take()
        }
        waiting?.resume(with: outcome)
    }
}

/// A timer on a session's clock.
///
/// Releasing it cancels it.
///
/// Isolation: confined to its session.
public final class SessionTimer {
    private weak var graph: Graph?
    private let number: Int

    /// Whether the timer was scheduled.
    ///
    /// False if it was started outside of the session or after the session's end.
    var isScheduled: Bool { number > 0 }

    /// Creates the handle of a timer.
    ///
    /// - Parameters:
    ///   - graph: the graph that holds the timer.
    ///   - number: the timer's number in its graph, or 0 for a timer that never fires.
    init(graph: Graph, number: Int) {
        self.graph = graph
        self.number = number
    }

    /// Cancels the timer.
    ///
    /// Has no effect after it has fired.
    public func cancel() {
        graph?.cancel(timer: number)
    }

    deinit {
        cancel()
    }
}
