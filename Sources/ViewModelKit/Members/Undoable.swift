/// A value that remembers its former values, for undo and redo.
///
/// Keep it in a `@State` or a field, so that outputs and gates notice its changes:
///
///     @State(.session) private var note = Undoable(Note())
///     @Output var title: String { note.value.title }
///     private var canUndo: Bool { note.canUndo }
///
///     @Input func rename(_ title: String) { note.value.title = title }
///     @Action(enabled: \Editor.canUndo) func undo() { note.undo() }
///
/// Each change of ``value`` is undone by itself. To undo several together, make them in one `mutating` method of the value.
public struct Undoable<Value: Equatable>: Equatable {
    /// The present value.
    ///
    /// Writing another one remembers the former value, and forgets the values for ``redo()``.
    public var value: Value {
        didSet {
            guard !areExactlyEqual(value, oldValue) else { return }
            redos = []
            undos.append(oldValue)
            if undos.count > limit { undos.removeFirst(undos.count - limit) }
        }
    }
    private var undos: [Value] = []
    private var redos: [Value] = []
    private let limit: Int

    /// Creates a value without former ones.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - limit: the number of former values that are kept.
    public init(_ value: Value, limit: Int = 100) {
        self.value = value
        self.limit = max(limit, 0)
    }

    /// Whether there is a former value.
    public var canUndo: Bool { !undos.isEmpty }

    /// Whether a change was undone, and the value has not changed since.
    public var canRedo: Bool { !redos.isEmpty }

    /// Returns to the former value, if there is one.
    public mutating func undo() { exchange(\.undos, \.redos) }

    /// Makes the change again that was undone last, if there is one.
    public mutating func redo() { exchange(\.redos, \.undos) }

    private mutating func exchange(_ from: WritableKeyPath<Self, [Value]>, _ to: WritableKeyPath<Self, [Value]>) {
        guard let other = self[keyPath: from].popLast() else { return }
        let (kept, present) = (self, value)
        value = other
        // The exchange is no change of its own.
        (undos, redos) = (kept.undos, kept.redos)
        self[keyPath: to].append(present)
    }
}

extension Undoable: Sendable where Value: Sendable {}
extension Undoable: Codable where Value: Codable {}
