/// One of the four operators; its raw value is the text in a row.
enum Operator: String, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"

    /// Applies the operator to the running result and a number.
    func callAsFunction(
        _ result: DecimalNumber,
        _ number: DecimalNumber
    ) throws(CalculatorProblem) -> DecimalNumber {
        switch self {
        case .add: try result + number
        case .subtract: try result - number
        case .multiply: try result * number
        case .divide: try result / number
        }
    }
}
