/// A timer on a session's clock; releasing it cancels it.
///
/// Isolation: confined to its session.
public final class SessionTimer {
    struct Entry {
        let body: () -> Void
        let scheduled: any ScheduledWork
    }

    private weak var graph: Graph?
    private let number: Int

    /// Whether the timer runs at all; one that was asked for outside of the session does not.
    var isScheduled: Bool { number > 0 }

    /// - Parameter number: the timer's number in its graph, 0 for one that never runs.
    init(graph: Graph, number: Int) {
        self.graph = graph
        self.number = number
    }

    /// Takes the timer back; without effect when it has fired.
    public func cancel() {
        graph?.cancel(timer: number)
    }

    deinit {
        cancel()
    }
}
