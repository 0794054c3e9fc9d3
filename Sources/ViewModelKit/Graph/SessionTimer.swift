/// A timer on a session's clock.
///
/// Releasing it cancels it.
///
/// Isolation: confined to its session.
public final class SessionTimer {
    struct Entry {
        let body: () -> Void
        let scheduled: any ScheduledWork
    }

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
