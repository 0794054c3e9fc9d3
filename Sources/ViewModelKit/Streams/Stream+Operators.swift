extension Stream {
    /// Returns a stream of the transformed values.
    public final func map<Other>(_ transform: @escaping (Value) -> Other) -> Stream<Other> {
        derive { value, result in result.emit(transform(value)) }
    }

    /// Returns a stream of the values that satisfy `isIncluded`.
    public final func filter(_ isIncluded: @escaping (Value) -> Bool) -> Stream<Value> {
        derive { value, result in
            if isIncluded(value) { result.emit(value) }
        }
    }

    /// Returns a stream of the intermediate results of an accumulation.
    public final func scan<State>(_ initial: State, _ next: @escaping (State, Value) -> State) -> Stream<State> {
        var state = initial
        return derive { value, result in
            state = next(state, value)
            result.emit(state)
        }
    }

    /// Returns a stream of the values of both streams in the order of their arrival.
    public final func merge(with other: Stream<Value>) -> Stream<Value> {
        let result = Stream<Value>(graph: graph)
        subscribe { result.emit($0) }
        other.subscribe { result.emit($0) }
        return result
    }

    /// Returns a stream of the latest values of both streams.
    ///
    /// It emits after each value, once both streams have emitted.
    public final func combineLatest<Other>(_ other: Stream<Other>) -> Stream<(Value, Other)> {
        let result = Stream<(Value, Other)>(graph: graph)
        var left: Value?
        var right: Other?
        subscribe { value in
            left = value
            if let right { result.emit((value, right)) }
        }
        other.subscribe { value in
            right = value
            if let left { result.emit((left, value)) }
        }
        return result
    }

    /// Returns a stream of each value with the signal's value at that moment.
    ///
    /// A change of the signal alone emits nothing.
    public final func withLatest<Other>(from signal: Signal<Other>) -> Stream<(Value, Other)> {
        map { ($0, signal.value) }
    }

    /// Returns a stream without values that equal the one before them.
    public final func removeDuplicates() -> Stream<Value> where Value: Equatable {
        var last: Value?
        return derive { value, result in
            if let last, areExactlyEqual(value, last) { return }
            last = value
            result.emit(value)
        }
    }

    /// Returns a stream of the values of the newest inner stream.
    public final func switchToLatest<Inner>() -> Stream<Inner> where Value == Stream<Inner> {
        var current: (stream: Stream<Inner>, subscription: Subscription<Inner>)?
        return derive { stream, result in
            if let current { current.stream.cancel(current.subscription) }
            current = (stream, stream.subscribe { result.emit($0) })
        }
    }

    func derive<Other>(_ body: @escaping (Value, Stream<Other>) -> Void) -> Stream<Other> {
        let result = Stream<Other>(graph: graph)
        subscribe { body($0, result) }
        return result
    }
}
