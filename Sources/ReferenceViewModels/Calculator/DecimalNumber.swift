/// A decimal floating-point number of 16 significant digits.
///
/// Its value is ± `significand` × 10^`exponent`. It is kept in one form, so that equal values are equal in every part:
/// the significand ends in no zero, and zero is neither negative nor scaled. Its magnitude is zero, or from 10⁻¹⁰⁰ on and
/// below 10¹⁰⁰.
///
/// Arithmetic finds the exact result and rounds it once, halves away from zero. Below 10⁻¹⁰⁰ a rounded result is zero,
/// from 10¹⁰⁰ on it is a problem.
package struct DecimalNumber: Hashable, Sendable {
    /// The number of significant digits.
    static let precision = 16
    /// The exponents of the leading digit that a number may have.
    static let magnitudes = -100...99

    /// The number `0`.
    package static let zero = DecimalNumber(0, fractionDigits: 0)

    let isNegative: Bool
    let significand: UInt64
    private let storedExponent: Int16

    var exponent: Int { Int(storedExponent) }
    var isZero: Bool { significand == 0 }
    /// How many digits the significand has; none if it is zero.
    var digitCount: Int { PowersOfTen.digitCount(UInt128(significand)) }

    /// Creates the number of at most 16 digits of which the last few stand behind the point.
    init(_ significand: UInt64, fractionDigits: Int) {
        precondition(significand < PowersOfTen.limit && (0...Self.precision).contains(fractionDigits))
        self.init(isNegative: false, significand: significand, exponent: -fractionDigits)
    }

    /// Creates a number that is known to be in range from at most 16 digits.
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

    /// Creates the number next to ± `magnitude` × 10^`exponent`.
    ///
    /// Where the magnitude has more than 16 digits it may be the exact one without its fraction: whether at least half a
    /// unit is dropped depends on the first dropped digit alone, so nothing is rounded twice.
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
        // Rounding may have carried to 10¹⁶, which has a digit more.
        let leading = exponent + PowersOfTen.digitCount(magnitude) - 1
        guard magnitude != 0, leading >= Self.magnitudes.lowerBound else {
            self = .zero
            return
        }
        guard leading <= Self.magnitudes.upperBound else { throw .overflow }
        self.init(isNegative: isNegative, significand: UInt64(magnitude), exponent: exponent)
    }

    /// The same magnitude with the other sign; zero has none.
    package static prefix func - (number: DecimalNumber) -> DecimalNumber {
        DecimalNumber(
            isNegative: !number.isNegative,
            significand: number.significand,
            exponent: number.exponent
        )
    }
}
