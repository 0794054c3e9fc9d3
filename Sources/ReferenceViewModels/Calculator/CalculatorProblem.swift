/// The reason why a calculation has no result, which is shown to the user and is not a failure of the program.
public struct CalculatorProblem: Error, Equatable, Sendable {
    /// The problem's name for programs, such as `divisionByZero`.
    public let code: String

    /// The problem as a text for a hint.
    public let message: String

    /// Creates a problem for another model.
    ///
    /// - Parameters:
    ///   - code: The problem's name for programs.
    ///   - message: The problem as a text for a hint.
    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    /// The divisor is zero.
    public static let divisionByZero = CalculatorProblem(
        code: "divisionByZero",
        message: "Cannot divide by zero"
    )

    /// The result is 10¹⁰⁰ or more in magnitude.
    public static let overflow = CalculatorProblem(
        code: "overflow",
        message: "The result is too large"
    )
}
