/// A writable value, the root of what is derived from it.
///
/// Only wiring writes it: closures of inputs and actions.
///
/// Writing an equal value (where values can be compared) changes nothing. A write inside of a ``Derived``, or outside of
/// the session, changes nothing, and ends the session with an incident. Isolation: confined to its session.
public final class Cell<Value>: Signal<Value> {
    /// Whether the value is being changed in place, by code of the author's.
    @exclusivity(unchecked) private var isLent = false
    @exclusivity(unchecked) private var stored: Value
    private let isEqual: ((Value, Value) -> Bool)?

    private init(_ value: Value, isEqual: ((Value, Value) -> Bool)?) {
        self.stored = value
        self.isEqual = isEqual
        super.init(graph: .current)
    }

    /// Makes a cell whose values are compared, so that an equal one disturbs nobody.
    public convenience init(_ value: Value) where Value: Equatable {
        self.init(value, isEqual: ==)
    }

    /// Makes a cell whose values cannot be compared; each write is a change.
    public convenience init(_ value: Value) {
        self.init(value, isEqual: nil)
    }

    /// Makes a cell whose value a named session finds again after it ended, or the daemon did, however it ended.
    ///
    /// - Parameters:
    ///   - initial: the value where none was saved, or where the saved one does not fit any more.
    ///   - name: what it is saved under, unique in its ViewModel (or, for what ViewModels share, in the session).
    public convenience init(_ initial: Value, restoring name: String) where Value: Codable & Equatable {
        let graph = Graph.current
        let saved = graph.restoring?.saved(name, as: Value.self, host: graph.host)
        self.init(saved ?? initial, isEqual: ==)
        graph.restoring?.add(self, name: name) { [unowned self] in try graph.host.encode(stored) }
    }

    /// The current value.
    ///
    /// Mutating it in place (`cell.value.append(x)`) copies nothing and counts as a change.
    public override var value: Value {
        get {
            graph.evaluating?.track(self)
            checkLoan()
            return stored
        }
        set {
            guard graph.mayWrite("a Cell was written") else { return }
            checkLoan()
            if let isEqual, isEqual(stored, newValue) { return }
            stored = newValue
            changed()
        }
        _modify {
            guard graph.mayWrite("a Cell was written") else {
                var unused = stored
                yield &unused
                return
            }
            lend()
            defer { isLent = false }
            yield &stored
            changed()
        }
    }

    /// Changes the value in place and gives the closure's result.
    public func update<Result>(_ change: (inout Value) throws -> Result) rethrows -> Result {
        guard graph.mayWrite("a Cell was written") else {
            var unused = stored
            return try change(&unused)
        }
        lend()
        defer {
            isLent = false
            changed()
        }
        return try change(&stored)
    }

    private func lend() {
        checkLoan()
        isLent = true
    }

    /// What the runtime would check for every access, at a higher price.
    private func checkLoan() {
        if isLent { fatalError("a Cell was used while its value was being changed in place") }
    }

    private func changed() {
        version += 1
        if isRestorable { graph.restoring?.noteChange() }
        notifyDependents(.changed)
    }
}
