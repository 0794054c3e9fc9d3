package import ViewModelKit

/// A calculator model, which the ViewModels `calculator` and `keypad` use.
///
/// A model is a value. Its owner decides where it lives and when it is saved. Encoding and decoding yields an equal
/// value, including a partly typed number.
package protocol Calculating: Codable, Equatable, Sendable {
    /// The text on the display: the number being typed, or the running result.
    var led: String { get }

    /// The completed operations, newest first.
    ///
    /// Linear in the number of operations. Use ``operationCount`` and ``operation(at:)`` for a part of it.
    var operations: [CalculatorOperation] { get }

    /// The number of ``operations``.
    var operationCount: Int { get }

    /// Returns one of the ``operations``.
    ///
    /// - Parameter index: An index below ``operationCount``; `0` is the newest. Any other index is a programming error.
    /// - Returns: The operation.
    func operation(at index: Int) -> CalculatorOperation

    /// Whether ``undo()`` has an operation to remove.
    var canUndo: Bool { get }

    /// Whether anything differs from the initial state.
    var canClear: Bool { get }

    /// Processes a key.
    ///
    /// - Parameter key: The key that was pressed.
    /// - Returns: The problem, if the calculation has no result. The key is processed in any case.
    mutating func press(_ key: Key) -> CalculatorProblem?

    /// Removes the newest operation; does nothing if ``canUndo`` is false.
    mutating func undo()

    /// Returns to the initial state; does nothing if ``canClear`` is false.
    mutating func clear()
}

/// One row in the list of completed operations.
@Schemable
package struct CalculatorOperation: Equatable, Sendable, Identifiable {
    /// The row's id, which no other row of the same calculator has or had.
    package let id: Int

    /// The operator and the number (`+ 3`), or only the number at the start of a calculation (`12`).
    package let text: String
}

/// The reason why a calculation has no result, which is shown to the user and is not a failure of the program.
package struct CalculatorProblem: Error, Equatable, Sendable {
    /// The problem's name for programs, such as `divisionByZero`.
    package let code: String

    /// The problem as a text for a hint.
    package let message: String

    /// The divisor is zero.
    package static let divisionByZero = CalculatorProblem(
        code: "divisionByZero",
        message: "Cannot divide by zero"
    )

    /// The result is 10¹⁰⁰ or more in magnitude.
    package static let overflow = CalculatorProblem(
        code: "overflow",
        message: "The result is too large"
    )
}
