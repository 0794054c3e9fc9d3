extension Stream {
    /// Emits a value when no other has come for `interval` of the session's clock; in a step of its own.
    public final func debounce(for interval: Duration) -> Stream<Value> {
        var timer: SessionTimer?
        return derive { [graph] value, result in
            timer?.cancel()
            timer = graph.schedule(after: interval) { result.emit(value) }
        }
    }

    /// Emits at most one value an `interval` of the session's clock: the first at once, and of those that come
    /// while it runs the newest (or, with `latest` false, the oldest) at its end.
    public final func throttle(for interval: Duration, latest: Bool = true) -> Stream<Value> {
        let gate = Throttle<Value>(interval: interval, latest: latest, graph: graph)
        return derive { value, result in gate.receive(value, result) }
    }
}

/// The state of one `throttle`.
private final class Throttle<Value> {
    private let interval: Duration
    private let latest: Bool
    private let graph: Graph
    private var timer: SessionTimer?
    private var waiting: Value?

    init(interval: Duration, latest: Bool, graph: Graph) {
        self.interval = interval
        self.latest = latest
        self.graph = graph
    }

    func receive(_ value: Value, _ result: Stream<Value>) {
        if timer == nil {
            result.emit(value)
            startInterval(result)
        } else if latest || waiting == nil {
            waiting = value
        }
    }

    private func startInterval(_ result: Stream<Value>) {
        timer = graph.schedule(after: interval) { [weak self, result] in
            guard let self else { return }
            timer = nil
            if let value = waiting {
                waiting = nil
                result.emit(value)
                startInterval(result)
            }
        }
    }
}
