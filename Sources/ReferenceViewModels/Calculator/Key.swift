import ViewModelKit

/// A key of the calculator; its raw value is its character.
///
/// An error message lists the allowed keys in the order of `allCases`.
@Schemable
package enum Key: String, Sendable, CaseIterable {
    /// The digit `0`.
    case zero = "0"
    /// The digit `1`.
    case one = "1"
    /// The digit `2`.
    case two = "2"
    /// The digit `3`.
    case three = "3"
    /// The digit `4`.
    case four = "4"
    /// The digit `5`.
    case five = "5"
    /// The digit `6`.
    case six = "6"
    /// The digit `7`.
    case seven = "7"
    /// The digit `8`.
    case eight = "8"
    /// The digit `9`.
    case nine = "9"
    /// The decimal point `.`.
    case point = "."
    /// The operator `+`.
    case add = "+"
    /// The operator `-`.
    case subtract = "-"
    /// The operator `*`.
    case multiply = "*"
    /// The operator `/`.
    case divide = "/"
    /// The key `=`, which completes a calculation.
    case equals = "="
}

extension Key {
    /// Whether the key is a digit or the point.
    var isTyped: Bool { self != .equals && Operator(rawValue: rawValue) == nil }
}

/// One of the four operators; its raw value is the text in a row.
enum Operator: String, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"

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
