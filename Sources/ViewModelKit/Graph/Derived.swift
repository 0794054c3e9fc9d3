/// A value that is computed on demand from other values, and only after one of them has changed.
///
/// Each ``Signal`` that the closure reads becomes a source, anew on each run. If values can be compared, dependents are
/// notified only when the new value differs. A commit computes the value at most once. A read between two writes of a
/// step computes it once more. The closure only reads: it writes no cell, sends no input and does no I/O. Isolation:
/// confined to its session.
public class Derived<Value>: Signal<Value> {
    @exclusivity(unchecked) private var hasMemo = false
    private let compute: () -> Value
    private let isEqual: ((Value, Value) -> Bool)?
    /// The last computed value.
    ///
    /// An optional would need a look-up of its metadata on each use.
    private let memo = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    private let tracker: AnyDerived

    init(on graph: Graph, isEqual: ((Value, Value) -> Bool)?, _ compute: @escaping () -> Value) {
        self.compute = compute
        self.isEqual = isEqual
        self.tracker = AnyDerived(name: graph.madeMember)
        super.init(graph: graph)
        tracker.node = Unmanaged.passUnretained(self)
    }

    /// Creates a derived value whose results are compared.
    public convenience init(_ compute: @escaping () -> Value) where Value: Equatable {
        self.init(on: .current, isEqual: areExactlyEqual, compute)
    }

    /// Creates a derived value whose results cannot be compared.
    public convenience init(_ compute: @escaping () -> Value) {
        self.init(on: .current, isEqual: nil, compute)
    }

    /// Creates a derived value from a property of an object, which it does not retain.
    public convenience init<Owner: AnyObject>(of owner: Owner, _ property: KeyPath<Owner, Value>)
    where Value: Equatable {
        self.init { [unowned owner] in owner[keyPath: property] }
    }

    deinit {
        tracker.dropSources(from: 0)
        if hasMemo { memo.deinitialize(count: 1) }
        memo.deallocate()
    }

    /// The current value, which is computed if a source has changed.
    public final override var value: Value {
        if !tracker.isRunning { graph.evaluating?.track(self) }
        refresh()
        return hasMemo ? memo.pointee : graph.makeUpValue(for: self)
    }

    override final func invalidate(_ mark: Mark) {
        if tracker.invalidate(mark) {
            notifyDependents(.maybe)
        }
    }

    override final func isOutdated(since version: Int) -> Bool {
        tracker.needsRun() || super.isOutdated(since: version)
    }

    override final func refresh() {
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

/// The state and the sources of a ``Derived``, which do not depend on the type of its value.
final class AnyDerived {
    private enum State {
        case clean
        case maybe
        case dirty
        case running
    }

    @exclusivity(unchecked) var node: Unmanaged<Node>?
    var derived: Node? { node?.takeUnretainedValue() }
    @exclusivity(unchecked) private var state = State.dirty
    @exclusivity(unchecked) private var sources: [(node: Node, version: Int)] = []
    /// The number of sources that the current run has read again in the same order.
    @exclusivity(unchecked) private var confirmed = 0
    /// The name of the output, such as `Weather.summary`, as a C string for the line about a trap; nil without one.
    let name: UnsafePointer<UInt8>?

    init(name: UnsafePointer<UInt8>?) { self.name = name }

    /// Whether the value is being computed.
    var isRunning: Bool { state == .running }

    /// Records a mark.
    ///
    /// Returns whether the dependents must be notified.
    func invalidate(_ mark: Node.Mark) -> Bool {
        if state == .running { return false }
        let wasClean = state == .clean
        if mark == .changed {
            state = .dirty
        } else if wasClean {
            state = .maybe
        }
        return wasClean
    }

    /// Returns whether the value must be computed again.
    ///
    /// Refreshes the sources if that is uncertain.
    func needsRun() -> Bool {
        switch state {
        case .clean: return false
        case .dirty: return true
        case .running:
            if let derived {
                derived.graph.fail(.readsItself, of: derived, computing: derived.graph.evaluating?.derived)
            }
            return false
        case .maybe:
            // Sources are checked in the order of reading. While the earlier ones are unchanged, a run would still read
            // the later ones.
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
        state = .running
        let value = compute()
        // A mark that the run itself caused concerns a source that the run has refreshed.
        state = .clean
        graph.evaluating = outer
        dropSources(from: confirmed)
        for index in sources.indices {
            // A source may have been refreshed after it was tracked, which changes its version.
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

    func dropSources(from index: Int) {
        guard index < sources.count, let node else { return }
        // `dropped` retains the sources until the array is consistent, because the last release may run an author's
        // `deinit`.
        let dropped = sources[index...]
        sources.removeSubrange(index...)
        node._withUnsafeGuaranteedRef { node in
            for source in dropped {
                source.node.unsubscribe(node)
            }
        }
    }
}
