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
    enum Role: Equatable {
        case digit(UInt64)
        case point
        case `operator`(Operator)
        case equals
    }

    var role: Role {
        switch self {
        case .zero: .digit(0)
        case .one: .digit(1)
        case .two: .digit(2)
        case .three: .digit(3)
        case .four: .digit(4)
        case .five: .digit(5)
        case .six: .digit(6)
        case .seven: .digit(7)
        case .eight: .digit(8)
        case .nine: .digit(9)
        case .point: .point
        case .add: .operator(.add)
        case .subtract: .operator(.subtract)
        case .multiply: .operator(.multiply)
        case .divide: .operator(.divide)
        case .equals: .equals
        }
    }
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
