/// An output of any type, as the host sees it.
public class AnyOutput: Node {
    @exclusivity(unchecked) private var isMarked = false
    @exclusivity(unchecked) private var place: Int32 = 0
    /// The step that changed the value last.
    @exclusivity(unchecked) package internal(set) final var changedAt = 0
    /// The instance that the output belongs to, for as long as that lives, and its place among the instance's outputs.
    @exclusivity(unchecked) package var owner: Unmanaged<AnyObject>?
    package var index: Int {
        get { Int(place) }
        set { place = Int32(newValue) }
    }
    /// Whether the instance has been closed; nothing is brought up to date any more.
    @exclusivity(unchecked) private(set) final var isClosed = false
    /// The one behind it in an ``OutputQueue``.
    @exclusivity(unchecked) final var next: AnyOutput?

    /// Compares with what was committed last; whether this is a change.
    func commitChange() -> Bool {
        isMarked = false
        return false
    }

    override final func invalidate(_ mark: Mark) {
        markChanged()
    }

    final func markChanged() {
        guard !isMarked else { return }
        isMarked = true
        graph.mark(self)
    }

    /// Ends the output's life with that of its instance.
    package final func close() {
        owner = nil
        isClosed = true
    }

    /// Brings the output up to date for the first time, and from then on with each step.
    package func attach() {}

    /// The JSON text of the committed value.
    package func encoded() throws -> [UInt8] {
        fatalError("this output has no value")
    }

    /// Takes the events of this step, as JSON texts; none for an output with a value.
    ///
    /// - Parameter failed: called for each event that cannot be encoded, which is left out.
    package func takeEvents(failed: (any Error) -> Void) -> [[UInt8]] { [] }
}
