/// A vertex of the graph, which has dependents and is notified of changes in its sources.
///
/// Dependents hold their sources strongly. Sources hold their dependents unowned, and a dependent unsubscribes in its
/// `deinit`. A released ViewModel therefore leaves no dependents behind in cells that it shared with others.
public class Node {
    let graph: Graph
    /// A counter that grows with each change of the value.
    @exclusivity(unchecked) var version = 0
    @exclusivity(unchecked) private var dependents: [Unmanaged<Node>] = []
    // Declared last here, and flags first in subclasses, so that they share a word.
    /// The place where the value is kept; nil if it is not restorable.
    @exclusivity(unchecked) var persistence: Persistence?

    init(graph: Graph) {
        self.graph = graph
    }

    /// The certainty of a change in the sources of a dependent.
    enum Mark {
        /// The value of a direct source has changed.
        case changed
        /// A source further up has changed.
        ///
        /// A refresh shows whether the change reaches this node.
        case maybe
    }

    /// Records a change of the value, which is saved if it is restorable, and notifies the dependents.
    final func changed() {
        version += 1
        if let persistence { graph.restorable.markChanged(persistence) }
        notifyDependents(.changed)
    }

    /// Marks this node because a source has changed.
    func invalidate(_ mark: Mark) {}

    /// Updates the value and `version` if a source has changed.
    func refresh() {}

    /// Returns whether the value may differ from that of an earlier version.
    ///
    /// The value itself is not computed.
    func isOutdated(since version: Int) -> Bool { self.version != version }

    final func notifyDependents(_ mark: Mark) {
        // The array does not change meanwhile: dependents subscribe only while they are evaluated, and `invalidate`
        // evaluates none.
        for dependent in dependents {
            dependent._withUnsafeGuaranteedRef { $0.invalidate(mark) }
        }
    }

    final func subscribe(_ dependent: Node) {
        dependents.append(Unmanaged.passUnretained(dependent))
    }

    final func unsubscribe(_ dependent: Node) {
        let reference = Unmanaged.passUnretained(dependent).toOpaque()
        if let index = dependents.lastIndex(where: { $0.toOpaque() == reference }) {
            dependents.remove(at: index)
        }
    }

    /// Returns an output of an instance that depends on this node, or nil.
    package final var dependentOutput: AnyOutput? {
        var found: Set<ObjectIdentifier> = []
        var waiting: [Node] = [self]
        // The nearest one: in a circle, others depend on the node through further nodes.
        while !waiting.isEmpty {
            let node = waiting.removeFirst()
            guard found.insert(ObjectIdentifier(node)).inserted else { continue }
            if let output = node as? AnyOutput, output.owner != nil { return output }
            waiting += node.dependents.map { $0.takeUnretainedValue() }
        }
        return nil
    }

    /// The number of nodes that depend on this one.
    package final var dependentCount: Int { dependents.count }
}
