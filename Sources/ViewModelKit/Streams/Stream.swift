/// Values that happen, one after the other: an ``Input``, or what an operator makes of one.
///
/// A stream is hot, never ends and never fails. Values run through it synchronously, within the step that sent them.
/// Operators keep their upstream's subscription for as long as the upstream lives. Isolation: confined to its session.
public class Stream<Value> {
    let graph: Graph
    private var subscriptions: [Subscription<Value>] = []

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
        subscriptions.append(subscription)
        return subscription
    }

    final func emit(_ value: Value) {
        var ended = false
        for subscription in subscriptions {
            if let body = subscription.body {
                body(value)
            } else {
                ended = true
            }
        }
        if ended {
            subscriptions.removeAll { $0.body == nil }
        }
    }

    /// Releases everything downstream.
    package final func removeSubscriptions() {
        subscriptions.removeAll()
    }
}

/// A consumer of a stream's values, until it is cancelled.
final class Subscription<Value> {
    private(set) var body: ((Value) -> Void)?

    init(_ body: @escaping (Value) -> Void) {
        self.body = body
    }

    func cancel() {
        body = nil
    }
}
