/// What a calculator's ViewModels need of the model behind them, so that the model can be exchanged.
///
/// A model is a value: whoever holds it decides where it lives and when it is saved. Encoding and decoding it yields an
/// equal value, down to a number that is half typed.
public protocol Calculating: Codable, Equatable, Sendable {
    /// The text on the display: the number being typed, else the running result.
    var led: String { get }

    /// What was calculated, the newest first.
    ///
    /// Linear in the number of operations. ``operationCount`` and ``operation(at:)`` give a part of it.
    var operations: [CalculatorOperation] { get }

    /// The number of ``operations``.
    var operationCount: Int { get }

    /// Returns one of the ``operations``.
    ///
    /// - Parameter index: An index below ``operationCount``; `0` is the newest. Any other is a programmer's error.
    func operation(at index: Int) -> CalculatorOperation

    /// Whether there is an operation to take back.
    var canUndo: Bool { get }

    /// Whether anything differs from the initial state.
    var canClear: Bool { get }

    /// Takes a key.
    ///
    /// - Parameter key: The key that was pressed.
    /// - Returns: Why there was no result, if there was none. The key has been dealt with all the same.
    mutating func press(_ key: Key) -> CalculatorProblem?

    /// Takes the newest operation back; does nothing where ``canUndo`` is false.
    mutating func undo()

    /// Returns to the initial state; does nothing where ``canClear`` is false.
    mutating func clear()
}

extension Calculating {
    /// The number of ``operations``, by building them all.
    public var operationCount: Int { operations.count }

    /// Returns one of the ``operations``, by building them all.
    public func operation(at index: Int) -> CalculatorOperation { operations[index] }
}
