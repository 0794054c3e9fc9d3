/// A vertex of the graph: something that has dependents, and that can be told of a change in its sources.
///
/// Dependents hold their sources strongly; sources know their dependents unowned, and a dependent takes itself out
/// in its `deinit`. So a released ViewModel leaves nothing behind in the cells that it shared with others.
public class Node {
    let graph: Graph
    /// Grows with each change of the value.
    @exclusivity(unchecked) var version = 0
    @exclusivity(unchecked) private var dependents: [Unmanaged<Node>] = []
    // Flags last, and first in subclasses: they share a word.
    /// Whether the value outlasts the session.
    @exclusivity(unchecked) var isRestorable = false

    init(graph: Graph) {
        self.graph = graph
    }

    /// How a dependent is told that something before it changed.
    enum Mark {
        /// A direct source has another value.
        case changed
        /// Some source further up has; whether it comes through shows when it is pulled.
        case maybe
    }

    /// Takes note of a change before this node.
    func invalidate(_ mark: Mark) {}

    /// Brings the value, and with it `version`, up to date.
    func refresh() {}

    final func notifyDependents(_ mark: Mark) {
        // A dependent subscribes only while it is evaluated, which never happens in here.
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

    /// How many nodes depend on this one.
    package final var dependentCount: Int { dependents.count }
}
