import Logging
import ViewModelContract

/// An output of any type, as the host sees it.
public class AnyOutput: Node {
    /// The kind of the outputs of a class.
    class var kind: ContractType.Output.Kind { .state }
    /// The schema of the values of a class.
    class var schema: Schema { .any }
    // The flags and the index share a word with the flags of `Node`.
    @exclusivity(unchecked) private var isMarked = false
    /// Whether the instance has ended.
    ///
    /// A commit skips the output then.
    @exclusivity(unchecked) private(set) final var isClosed = false
    /// Whether the log has that the value is large.
    @exclusivity(unchecked) private var isLarge = false
    @exclusivity(unchecked) private var storedIndex: Int32 = 0
    /// The last step that changed the value.
    @exclusivity(unchecked) package internal(set) final var changedAt = 0
    /// The instance that owns the output, unretained.
    ///
    /// Nil before the instance has adopted the output, and after its end.
    @exclusivity(unchecked) package var owner: Unmanaged<AnyObject>?
    /// The index of the output among the instance's outputs.
    package var index: Int {
        get { Int(storedIndex) }
        set { storedIndex = Int32(newValue) }
    }
    /// The next marked output of the ``Graph``.
    @exclusivity(unchecked) final var next: AnyOutput?

    /// Commits the current value.
    ///
    /// Returns whether it differs from the last committed one.
    final func commit() -> Bool {
        isMarked = false
        return commitChange()
    }

    func commitChange() -> Bool { false }

    override final func invalidate(_ mark: Mark) {
        markChanged()
    }

    final func markChanged() {
        guard !isMarked else { return }
        isMarked = true
        graph.mark(self)
    }

    /// Ends the output together with its instance.
    package final func close() {
        owner = nil
        isClosed = true
    }

    /// Logs once that the JSON text of the value is large, because clients get all of it at each change.
    @inline(never)
    final func logSize(_ bytes: Int) {
        guard !isLarge else { return }
        isLarge = true
        let name = graph.host.nameForLog(of: self)
        graph.host.logger.warning(
            "The value of an output is large, and clients get all of it at each change",
            metadata: ["output": "\(name)", "bytes": "\(bytes)"]
        )
    }

    /// Commits the initial value when the instance is created.
    ///
    /// Reading it subscribes to the sources. A derived list has no value yet.
    package func commitInitialValue() {}

    /// Counts the bindings that contain the output: 1 for a new one, -1 for one that has ended.
    package func countBindings(_ change: Int) {
        sampling?.countBindings(change)
    }

    /// The rows of a list, or nil for another output.
    package var list: (any ListSource)? { nil }

    /// The samples of a value that changes with time, or nil for another output.
    package var sampling: Sampling? { nil }

    /// Returns the output for another instance.
    package func adoptable() -> AnyOutput { self }

    /// Returns the JSON text of the committed value.
    package func encoded() throws -> [UInt8] {
        fatalError("this output has no value")
    }

    /// Removes and returns the events of this step, as JSON texts.
    ///
    /// - Parameter failed: called for each event that cannot be encoded. The event is dropped.
    /// - Returns: the events in order. Empty for a state or a list.
    package func takeEvents(failed: (any Error) -> Void) -> [[UInt8]] { [] }
}
