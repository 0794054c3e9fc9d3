/// Values that happen, one after the other: an ``Input``, or what an operator makes of one.
///
/// A stream is hot, never ends and never fails. Values run through it synchronously, within the step that sent them.
/// Operators keep their upstream's subscription for as long as the upstream lives. Isolation: confined to its session.
public class Stream<Value> {
    let graph: Graph
    /// A list linked by the subscriptions themselves, in the order of their making.
    @exclusivity(unchecked) private var first: Subscription<Value>?
    @exclusivity(unchecked) private var last: Subscription<Value>?

    init(graph: Graph) {
        self.graph = graph
    }

    /// Runs `body` for each value.
    public final func sink(_ body: @escaping (Value) -> Void) {
        subscribe(body)
    }

    /// Writes each value into `cell`.
    public final func assign(to cell: Cell<Value>) {
        subscribe { cell.value = $0 }
    }

    /// Keeps the latest value as a signal, `initial` until there is one.
    public final func hold(_ initial: Value) -> Signal<Value> where Value: Equatable {
        let cell = Cell(initial)
        assign(to: cell)
        return cell
    }

    @discardableResult
    final func subscribe(_ body: @escaping (Value) -> Void) -> Subscription<Value> {
        let subscription = Subscription(body)
        if let last { last.next = subscription } else { first = subscription }
        last = subscription
        return subscription
    }

    final func emit(_ value: Value) {
        guard var current = first else { return }
        while true {
            if current.isCancelled {
                remove(current)
            } else {
                current.body(value)
            }
            guard let next = current.next else { return }
            current = next
        }
    }

    private func remove(_ subscription: Subscription<Value>) {
        var before: Subscription<Value>?
        var current = first
        while let candidate = current, candidate !== subscription {
            before = candidate
            current = candidate.next
        }
        if let before { before.next = subscription.next } else { first = subscription.next }
        if last === subscription { last = before }
    }

    /// Releases everything downstream.
    package final func removeSubscriptions() {
        // One by one, so that a long list does not end in a deep recursion.
        while let subscription = first { first = subscription.next }
        last = nil
    }
}

/// A consumer of a stream's values, until it is cancelled; the stream's next value takes it out.
final class Subscription<Value> {
    fileprivate let body: (Value) -> Void
    @exclusivity(unchecked) fileprivate var isCancelled = false
    @exclusivity(unchecked) fileprivate var next: Subscription?

    init(_ body: @escaping (Value) -> Void) {
        self.body = body
    }

    func cancel() {
        isCancelled = true
    }
}
