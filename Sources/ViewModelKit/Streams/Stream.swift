/// A sequence of values in time: an ``Input``, or the result of an operator.
///
/// A stream is hot, never ends and never fails. Values pass through it synchronously, within the step that sent them.
/// An operator's subscription lives as long as its upstream. Isolation: confined to its session.
public class Stream<Value> {
    let graph: Graph
    /// The head of the linked list of subscriptions, in the order of their creation.
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

    /// Returns a signal of the latest value, which is `initial` before the first one.
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
            if !current.isCancelled { current.body(value) }
            guard let next = current.next else { return }
            current = next
        }
    }

    /// Ends a subscription.
    ///
    /// It keeps its `next`, so that an emission that has reached it continues.
    final func cancel(_ subscription: Subscription<Value>) {
        guard !subscription.isCancelled else { return }
        subscription.isCancelled = true
        var before: Subscription<Value>?
        var current = first
        while let candidate = current, candidate !== subscription {
            before = candidate
            current = candidate.next
        }
        // ``removeSubscriptions()`` may have removed it.
        guard current != nil else { return }
        if let before { before.next = subscription.next } else { first = subscription.next }
        if last === subscription { last = before }
    }

    /// Releases all subscriptions.
    package final func removeSubscriptions() {
        // One by one, because the release of a long linked list at its head would recurse deeply.
        while let subscription = first { first = subscription.next }
        last = nil
    }
}

/// The subscription of one consumer.
final class Subscription<Value> {
    fileprivate let body: (Value) -> Void
    @exclusivity(unchecked) fileprivate var isCancelled = false
    @exclusivity(unchecked) fileprivate var next: Subscription?

    init(_ body: @escaping (Value) -> Void) {
        self.body = body
    }
}
