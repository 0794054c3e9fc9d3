/// Why a calculation has no result: something to tell the user, not a failure of the program.
public struct CalculatorProblem: Error, Equatable, Sendable {
    /// The name of the problem, for programs, such as `divisionByZero`.
    public let code: String

    /// The problem in words, to be shown as a hint.
    public let message: String

    /// Creates a problem of a model's own.
    ///
    /// - Parameters:
    ///   - code: The name of the problem, for programs.
    ///   - message: The problem in words, to be shown as a hint.
    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    /// A number was to be divided by zero.
    public static let divisionByZero = CalculatorProblem(
        code: "divisionByZero",
        message: "Cannot divide by zero"
    )

    /// A result reached 10¹⁰⁰ in magnitude.
    public static let overflow = CalculatorProblem(
        code: "overflow",
        message: "The result is too large"
    )
}
