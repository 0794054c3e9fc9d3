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
        let throttle = Throttle(interval: interval, latest: latest, result: Stream<Value>(graph: graph))
        subscribe { throttle.receive($0) }
        return throttle.result
    }
}

/// The state of one `throttle`.
private final class Throttle<Value> {
    let result: Stream<Value>
    private let interval: Duration
    private let latest: Bool
    private var timer: SessionTimer?
    private var waiting: Value?

    init(interval: Duration, latest: Bool, result: Stream<Value>) {
        self.interval = interval
        self.latest = latest
        self.result = result
    }

    func receive(_ value: Value) {
        if timer == nil {
            emit(value)
        } else if latest || waiting == nil {
            waiting = value
        }
    }

    private func emit(_ value: Value) {
        result.emit(value)
        timer = result.graph.schedule(after: interval) { [weak self] in
            guard let self else { return }
            timer = nil
            if let value = waiting.take() { emit(value) }
        }
    }
}
