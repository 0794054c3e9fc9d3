/// A decimal floating-point number of 16 significant digits.
///
/// Its value is ± `significand` × 10^`exponent`. The form is canonical, so that equal values have equal parts: the
/// significand has no trailing zeros, and zero has neither a sign nor an exponent. The magnitude is zero, or at least
/// 10⁻¹⁰⁰ and below 10¹⁰⁰.
///
/// Arithmetic rounds the exact result once, halves away from zero. A rounded result below 10⁻¹⁰⁰ is zero. One of 10¹⁰⁰
/// or more is a problem.
package struct DecimalNumber: Hashable, Sendable {
    /// The number of significant digits.
    static let precision = 16
    /// The possible exponents of the leading digit.
    static let magnitudes = -100...99

    /// The number `0`.
    package static let zero = DecimalNumber(0, fractionDigits: 0)

    let isNegative: Bool
    let significand: UInt64
    private let storedExponent: Int16

    var exponent: Int { Int(storedExponent) }
    var isZero: Bool { significand == 0 }
    /// The number of digits of the significand; 0 for zero.
    var digitCount: Int { PowersOfTen.digitCount(UInt128(significand)) }

    /// Creates a number from at most 16 digits, of which `fractionDigits` follow the point.
    init(_ significand: UInt64, fractionDigits: Int) {
        precondition(significand < PowersOfTen.limit && (0...Self.precision).contains(fractionDigits))
        self.init(isNegative: false, significand: significand, exponent: -fractionDigits)
    }

    /// Creates a number from at most 16 digits; the caller ensures that the number is in range.
    private init(isNegative: Bool, significand: UInt64, exponent: Int) {
        var significand = significand
        var exponent = exponent
        while significand != 0, significand.isMultiple(of: 10) {
            significand /= 10
            exponent += 1
        }
        self.isNegative = isNegative && significand != 0
        self.significand = significand
        self.storedExponent = significand == 0 ? 0 : Int16(exponent)
    }

    /// Creates the number nearest to ± `magnitude` × 10^`exponent`.
    ///
    /// A magnitude of more than 16 digits may lack the fraction of the exact one. Rounding depends only on the first
    /// dropped digit, so the result is not rounded twice.
    ///
    /// - Throws: `CalculatorProblem.overflow` if the rounded magnitude is 10¹⁰⁰ or more.
    init(isNegative: Bool, rounding magnitude: UInt128, exponent: Int) throws(CalculatorProblem) {
        var magnitude = magnitude
        var exponent = exponent
        let surplus = PowersOfTen.digitCount(magnitude) - Self.precision
        if surplus > 0 {
            let unit = PowersOfTen[surplus]
            let (quotient, remainder) = magnitude.quotientAndRemainder(dividingBy: unit)
            magnitude = quotient + (remainder >= unit / 2 ? 1 : 0)
            exponent += surplus
        }
        // A carry may have produced 10¹⁶, which has one digit more.
        let leading = exponent + PowersOfTen.digitCount(magnitude) - 1
        guard magnitude != 0, leading >= Self.magnitudes.lowerBound else {
            self = .zero
            return
        }
        guard leading <= Self.magnitudes.upperBound else { throw .overflow }
        self.init(isNegative: isNegative, significand: UInt64(magnitude), exponent: exponent)
    }

    /// Returns the same magnitude with the other sign; zero has no sign.
    package static prefix func - (number: DecimalNumber) -> DecimalNumber {
        DecimalNumber(
            isNegative: !number.isNegative,
            significand: number.significand,
            exponent: number.exponent
        )
    }
}
