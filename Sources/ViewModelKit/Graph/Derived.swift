/// A value computed from others: lazily, at most once a step, and only when a source really changed.
///
/// What the closure reads (any ``Signal``) becomes its source, anew on each run. Dependents are told of a change only
/// when the new value differs, where values can be compared. The closure only reads: it writes no cell, sends no
/// input, does no I/O. Isolation: confined to its session.
public final class Derived<Value>: Signal<Value> {
    @exclusivity(unchecked) private var hasMemo = false
    private let compute: () -> Value
    private let isEqual: ((Value, Value) -> Bool)?
    /// The value, once it was computed; not an optional, whose metadata would be looked up with each use.
    private let memo = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    private let tracker: AnyDerived

    init(on graph: Graph, isEqual: ((Value, Value) -> Bool)?, _ compute: @escaping () -> Value) {
        self.compute = compute
        self.isEqual = isEqual
        self.tracker = AnyDerived()
        super.init(graph: graph)
        tracker.node = Unmanaged.passUnretained(self)
    }

    /// Makes a derived value whose results are compared.
    public convenience init(_ compute: @escaping () -> Value) where Value: Equatable {
        self.init(on: .current, isEqual: ==, compute)
    }

    /// Makes a derived value whose results cannot be compared.
    public convenience init(_ compute: @escaping () -> Value) {
        self.init(on: .current, isEqual: nil, compute)
    }

    deinit {
        tracker.releaseSources()
        if hasMemo { memo.deinitialize(count: 1) }
        memo.deallocate()
    }

    /// The current value, computed if need be.
    public override var value: Value {
        graph.evaluating?.track(self)
        refresh()
        if !hasMemo { fatalError("a Derived reads itself") }
        return memo.pointee
    }

    override func invalidate(_ mark: Mark) {
        if tracker.invalidate(mark) {
            notifyDependents(.maybe)
        }
    }

    override func refresh() {
        guard tracker.needsRun() else { return }
        let new = tracker.run(on: graph, compute)
        if hasMemo {
            if let isEqual, isEqual(memo.pointee, new) { return }
            memo.pointee = new
        } else {
            memo.initialize(to: new)
            hasMemo = true
        }
        version += 1
    }
}

/// The part of a ``Derived`` that does not depend on the type of its value: its state and its sources.
final class AnyDerived {
    private enum State {
        case clean
        case maybe
        case dirty
    }

    @exclusivity(unchecked) var node: Unmanaged<Node>?
    @exclusivity(unchecked) private var state = State.dirty
    @exclusivity(unchecked) private var sources: [(node: Node, version: Int)] = []
    /// How many of the sources the current run has confirmed.
    @exclusivity(unchecked) private var confirmed = 0

    /// Takes note of a mark; whether the dependents have to be told.
    func invalidate(_ mark: Node.Mark) -> Bool {
        let wasClean = state == .clean
        if mark == .changed {
            state = .dirty
        } else if wasClean {
            state = .maybe
        }
        return wasClean
    }

    /// Whether the value has to be computed anew; pulls the sources to find out.
    func needsRun() -> Bool {
        switch state {
        case .clean: return false
        case .dirty: return true
        case .maybe:
            // In order: while the earlier ones are unchanged, a later one is still read under the same conditions.
            for source in sources {
                source.node.refresh()
                if source.node.version != source.version { return true }
            }
            state = .clean
            return false
        }
    }

    func run<Value>(on graph: Graph, _ compute: () -> Value) -> Value {
        let outer = graph.evaluating
        graph.evaluating = self
        confirmed = 0
        // Clean while it runs: a source that was marked before is pulled by the run itself.
        state = .clean
        let value = compute()
        graph.evaluating = outer
        dropSources(from: confirmed)
        for index in sources.indices {
            // The source may have been pulled after it was tracked.
            sources[index].version = sources[index].node.version
        }
        return value
    }

    func track(_ source: Node) {
        if confirmed < sources.count, sources[confirmed].node === source {
            confirmed += 1
            return
        }
        if sources[..<confirmed].contains(where: { $0.node === source }) { return }
        dropSources(from: confirmed)
        sources.append((source, source.version))
        confirmed += 1
        if let node {
            node._withUnsafeGuaranteedRef { source.subscribe($0) }
        }
    }

    func releaseSources() {
        dropSources(from: 0)
    }

    private func dropSources(from index: Int) {
        guard index < sources.count, let node else { return }
        // Released when the array is in order again: the last reference to a source may run anybody's `deinit`.
        let dropped = sources[index...]
        sources.removeSubrange(index...)
        node._withUnsafeGuaranteedRef { node in
            for source in dropped {
                source.node.unsubscribe(node)
            }
        }
    }
}
