/// A writable value from which other values are derived.
///
/// Only wiring code writes it, such as closures of inputs and actions.
///
/// If values can be compared, a write of an equal value changes nothing. Text is compared by its code points. A write
/// inside of a ``Derived``, or outside of a step of its session, changes nothing and ends the session with an incident.
/// Isolation: confined to its session.
public final class Cell<Value>: Signal<Value> {
    /// Whether an author's code is changing the value in place.
    @exclusivity(unchecked) private var isBeingMutated = false
    @exclusivity(unchecked) private var stored: Value
    private let isEqual: ((Value, Value) -> Bool)?

    private init(_ value: Value, isEqual: ((Value, Value) -> Bool)?) {
        self.stored = value
        self.isEqual = isEqual
        super.init(graph: .current)
    }

    /// Creates a cell whose values are compared.
    ///
    /// A write of an equal value notifies no dependents.
    public convenience init(_ value: Value) where Value: Equatable {
        self.init(value, isEqual: areExactlyEqual)
    }

    /// Creates a cell whose values cannot be compared.
    ///
    /// Each write is a change.
    public convenience init(_ value: Value) {
        self.init(value, isEqual: nil)
    }

    /// Creates a cell whose value is saved and restored after the session or the daemon has ended.
    ///
    /// A value of the user is the same in all sessions of the user, and one of the daemon in all sessions. A session gets a
    /// change of another one as a step of its own.
    ///
    /// - Parameters:
    ///   - initial: the value if none was saved, or if the saved one does not decode any more. That one is put aside.
    ///   - name: the name under which the value is saved. It is unique in its ViewModel, whose children share
    ///     its names, or in its shared model.
    ///   - former: the names under which the value was saved before.
    ///   - persistence: whether the value belongs to the named session, to the user, or to the daemon.
    public convenience init(
        _ initial: Value,
        restoring name: String,
        formerly former: [String] = [],
        in persistence: Persistence = .session
    ) where Value: Codable & Equatable {
        let kept = Graph.current.restorable.kept(name, formerly: former, in: persistence, as: Value.self)
        self.init(kept.value ?? initial, isEqual: areExactlyEqual)
        graph.restorable.add(self, kept, else: initial) { [unowned self] in value = $0 }
    }

    /// The current value.
    ///
    /// A mutation in place (`cell.value.append(x)`) copies nothing and counts as a change. Any other use of the cell
    /// meanwhile is a mistake, which ends the session.
    public override var value: Value {
        get {
            graph.evaluating?.track(self)
            return isBeingMutated ? valueDuringMutation : stored
        }
        set {
            guard graph.mayWrite(self), mayUse() else { return }
            if let isEqual, isEqual(stored, newValue) { return }
            stored = newValue
            changed()
        }
        _modify {
            guard graph.mayWrite(self), mayUse() else {
                var unused = isBeingMutated ? valueDuringMutation : stored
                yield &unused
                return
            }
            isBeingMutated = true
            // Runs also if the caller's change throws.
            defer {
                isBeingMutated = false
                changed()
            }
            yield &stored
        }
    }

    /// Changes the value in place and returns the closure's result.
    ///
    /// Counts as a change even if the closure throws.
    public func update<Result>(_ change: (inout Value) throws -> Result) rethrows -> Result {
        try change(&value)
    }

    /// Lets the cell have the value that is saved under a key below its name, such as the draft of a room.
    ///
    /// Call it in `init`, or in a step that shows another room. The value of the former key is kept. A key without a value
    /// has the initial one. A cell that is not saved ends the session.
    public func keep(for key: some CustomStringConvertible) where Value: Codable & Equatable {
        graph.restorable.select(key.description, of: self) { value = $0 }
    }

    /// Returns false while the value is being changed in place, which is a mistake.
    ///
    /// This check is cheaper than the runtime's exclusivity check.
    private func mayUse() -> Bool {
        if isBeingMutated { graph.fail(.usedWhileChanged, of: self) }
        return !isBeingMutated
    }

    /// The value for a use while the value is being changed in place.
    ///
    /// The value itself cannot be read meanwhile, because it may be incomplete.
    private var valueDuringMutation: Value {
        graph.fail(.usedWhileChanged, of: self)
        return graph.makeUpValue(for: self)
    }
}
