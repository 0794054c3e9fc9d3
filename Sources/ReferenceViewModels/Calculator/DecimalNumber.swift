/// A decimal floating-point number of 16 significant digits.
///
/// Its value is `significand` × 10^`exponent`. The form is canonical, so that equal values have equal parts: the
/// significand has no trailing zeros, and zero has no exponent. The magnitude is zero, or at least 10⁻¹⁰⁰ and below
/// 10¹⁰⁰.
///
/// Arithmetic rounds the exact result once, halves away from zero. A rounded result below 10⁻¹⁰⁰ is zero. One of 10¹⁰⁰
/// or more is a problem.
package struct DecimalNumber: Hashable, Sendable {
    static let precision = 16
    /// The possible exponents of the leading digit.
    private static let magnitudes = -100...99
    /// The digits to which an operand is extended before the arithmetic.
    ///
    /// The result has more than 16 digits then, unless it is exact. What it lacks is less than a unit of its last digit,
    /// which does not decide how the 16 digits are rounded.
    private static let workingPrecision = 37

    package static let zero = DecimalNumber(0, exponent: 0)

    let significand: Int64
    let exponent: Int

    var isZero: Bool { significand == 0 }
    /// The number of digits of the significand; 0 for zero.
    var digitCount: Int { Int128(significand).digitCount }

    /// Creates a number of at most 16 digits; the caller ensures that the number is in range.
    private init(_ significand: Int64, exponent: Int) {
        var (significand, exponent) = (significand, exponent)
        while significand != 0, significand.isMultiple(of: 10) {
            significand /= 10
            exponent += 1
        }
        self.significand = significand
        self.exponent = significand == 0 ? 0 : exponent
    }

    /// Creates the number nearest to `value` × 10^`exponent`.
    ///
    /// A value of more than 16 digits may lack the fraction of the exact one. Rounding depends only on the first
    /// dropped digit, so the result is not rounded twice.
    ///
    /// - Throws: `CalculatorProblem.overflow` if the rounded magnitude is 10¹⁰⁰ or more.
    private init(rounding value: Int128, exponent: Int) throws(CalculatorProblem) {
        var (value, exponent) = (value, exponent)
        let surplus = value.digitCount - Self.precision
        if surplus > 0 {
            let unit = Int128.powerOfTen(surplus)
            let (quotient, remainder) = value.quotientAndRemainder(dividingBy: unit)
            value = quotient + (remainder.magnitude >= unit.magnitude / 2 ? value.signum() : 0)
            exponent += surplus
        }
        // A carry may have produced 10¹⁶, which has one digit more.
        let leading = exponent + value.digitCount - 1
        guard value != 0, leading >= Self.magnitudes.lowerBound else {
            self = .zero
            return
        }
        guard leading <= Self.magnitudes.upperBound else { throw .overflow }
        self.init(Int64(value), exponent: exponent)
    }

    /// The significand, extended by zeros to ``workingPrecision``, and the number of these zeros.
    private func extended(atMost zeros: Int = workingPrecision) -> (value: Int128, zeros: Int) {
        let zeros = min(zeros, Self.workingPrecision - digitCount)
        return (Int128(significand) * Int128.powerOfTen(zeros), zeros)
    }
}

extension DecimalNumber {
    /// Returns the same magnitude with the other sign; zero has no sign.
    package static prefix func - (number: DecimalNumber) -> DecimalNumber {
        DecimalNumber(-number.significand, exponent: number.exponent)
    }

    package static func + (left: DecimalNumber, right: DecimalNumber) throws(CalculatorProblem) -> DecimalNumber {
        if left.isZero { return right }
        if right.isZero { return left }
        let (high, low) = left.exponent >= right.exponent ? (left, right) : (right, left)
        // Only the number with the lower exponent can have digits below the unit, which are dropped. It has at most 16
        // digits, and the other number is then larger by 20 digits or more.
        let distance = high.exponent - low.exponent
        let (augend, shift) = high.extended(atMost: distance)
        let addend = Int128(low.significand) / Int128.powerOfTen(min(distance - shift, precision))
        return try DecimalNumber(rounding: augend + addend, exponent: high.exponent - shift)
    }

    package static func - (left: DecimalNumber, right: DecimalNumber) throws(CalculatorProblem) -> DecimalNumber {
        try left + -right
    }

    package static func * (left: DecimalNumber, right: DecimalNumber) throws(CalculatorProblem) -> DecimalNumber {
        try DecimalNumber(
            rounding: Int128(left.significand) * Int128(right.significand),
            exponent: left.exponent + right.exponent
        )
    }

    /// Divides by another number; zero divided by zero is a division by zero as well.
    package static func / (left: DecimalNumber, right: DecimalNumber) throws(CalculatorProblem) -> DecimalNumber {
        if right.isZero { throw .divisionByZero }
        let (dividend, shift) = left.extended()
        return try DecimalNumber(
            rounding: dividend / Int128(right.significand),
            exponent: left.exponent - right.exponent - shift
        )
    }
}

extension DecimalNumber: LosslessStringConvertible {
    /// The number as the calculator shows it, without trailing zeros.
    ///
    /// From 10¹⁶ on and below 10⁻⁶, except for zero, it has an exponent, such as `1.234567890123456e20` and `1e-7`.
    package var description: String {
        let sign = significand < 0 ? "-" : ""
        let digits = String(significand.magnitude)
        let leading = exponent + digits.utf8.count - 1

        switch leading {
        case Self.precision..., ..<(-6):
            let fraction = digits.dropFirst()
            return "\(sign)\(digits.prefix(1))\(fraction.isEmpty ? "" : ".")\(fraction)e\(leading)"
        case ..<0:
            return "\(sign)0.\(String(repeating: "0", count: -leading - 1))\(digits)"
        default:
            if exponent >= 0 {
                return "\(sign)\(digits)\(String(repeating: "0", count: exponent))"
            }
            return "\(sign)\(digits.dropLast(-exponent)).\(digits.suffix(-exponent))"
        }
    }

    /// Creates the number of a text with at most 38 digits, such as `12`, `-0.50` or `1.5e-7`, if it can be represented
    /// exactly.
    package init?(_ text: String) {
        let halves = text.split(separator: "e", maxSplits: 1, omittingEmptySubsequences: false)
        let parts = halves[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        // The digits of both parts together also make a number of `.5` or `-.5`, which are no numbers.
        guard !text.hasPrefix("+"), Int128(parts[0]) != nil, var value = Int128(parts.joined()),
            var exponent = halves.count == 1 ? 0 : Int(halves[1]), (-1000...1000).contains(exponent)
        else { return nil }
        if parts.count == 2 { exponent -= parts[1].utf8.count }
        while value != 0, value.isMultiple(of: 10) {
            value /= 10
            exponent += 1
        }
        guard value.digitCount <= Self.precision,
            let number = try? DecimalNumber(rounding: value, exponent: exponent), number.isZero == (value == 0)
        else { return nil }
        self = number
    }
}

extension Int128 {
    fileprivate static func powerOfTen(_ exponent: Int) -> Int128 {
        (0..<exponent).reduce(1) { power, _ in power * 10 }
    }

    /// The number of digits; 0 for zero.
    fileprivate var digitCount: Int { self == 0 ? 0 : String(magnitude).utf8.count }
}
