extension Stream {
    /// Returns a stream that emits a value if no other follows within `interval` of the session's clock.
    ///
    /// Each emission is its own step.
    public final func debounce(for interval: Duration) -> Stream<Value> {
        var timer: SessionTimer?
        return derive { [graph] value, result in
            timer?.cancel()
            timer = graph.schedule(after: interval) { result.emit(value) }
        }
    }

    /// Returns a stream that emits at most one value per `interval` of the session's clock.
    ///
    /// It emits the first value at once. At the end of the interval it emits the newest value that arrived during the
    /// interval, or the oldest one if `latest` is false.
    public final func throttle(for interval: Duration, latest: Bool = true) -> Stream<Value> {
        let throttle = Throttle<Value>(interval: interval, latest: latest, graph: graph)
        return derive { value, result in throttle.receive(value, result) }
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
