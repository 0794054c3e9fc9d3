/// A decimal floating-point number of 16 significant digits.
///
/// Its value is ± `significand` × 10^`exponent`. The form is canonical, so that equal values have equal parts: the
/// significand has no trailing zeros, and zero has neither a sign nor an exponent. The magnitude is zero, or at least
/// 10⁻¹⁰⁰ and below 10¹⁰⁰.
///
/// Arithmetic rounds the exact result once, halves away from zero. A rounded result below 10⁻¹⁰⁰ is zero. One of 10¹⁰⁰
/// or more is a problem.
package struct DecimalNumber: Hashable, Sendable {
    static let precision = 16
    /// The smallest integer with more digits.
    private static let limit: UInt64 = 10_000_000_000_000_000
    /// The possible exponents of the leading digit.
    static let magnitudes = -100...99

    package static let zero = DecimalNumber(0, fractionDigits: 0)

    let isNegative: Bool
    let significand: UInt64
    private let storedExponent: Int16

    var exponent: Int { Int(storedExponent) }
    var isZero: Bool { significand == 0 }
    /// The number of digits of the significand; 0 for zero.
    var digitCount: Int { UInt128(significand).digitCount }

    /// Creates a number from at most 16 digits, of which `fractionDigits` follow the point.
    init(_ significand: UInt64, fractionDigits: Int) {
        precondition(significand < Self.limit && (0...Self.precision).contains(fractionDigits))
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
        let surplus = magnitude.digitCount - Self.precision
        if surplus > 0 {
            let unit = UInt128.powerOfTen(surplus)
            let (quotient, remainder) = magnitude.quotientAndRemainder(dividingBy: unit)
            magnitude = quotient + (remainder >= unit / 2 ? 1 : 0)
            exponent += surplus
        }
        // A carry may have produced 10¹⁶, which has one digit more.
        let leading = exponent + magnitude.digitCount - 1
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

extension DecimalNumber {
    package static func + (left: DecimalNumber, right: DecimalNumber) throws(CalculatorProblem) -> DecimalNumber {
        if left.isZero { return right }
        if right.isZero { return left }
        let (high, low) = left.exponent >= right.exponent ? (left, right) : (right, left)

        // Scale both to the lower exponent, or as near to it as 38 digits allow. Only the number with the lower
        // exponent can have digits below the unit. It has at most 16 digits, so the other number is then larger by 20
        // digits or more.
        let distance = high.exponent - low.exponent
        let shift = min(distance, UInt128.largestExponent - high.digitCount)
        let augend = UInt128(high.significand) * UInt128.powerOfTen(shift)
        let (addend, isInexact) = dropDigits(distance - shift, of: low.significand)
        let exponent = high.exponent - shift

        if high.isNegative == low.isNegative {
            return try DecimalNumber(isNegative: high.isNegative, rounding: augend + addend, exponent: exponent)
        }
        if augend < addend {
            return try DecimalNumber(isNegative: low.isNegative, rounding: addend - augend, exponent: exponent)
        }
        // A dropped fraction of the subtrahend borrows one unit. The exact difference is then this integer and a
        // fraction.
        let difference = augend - addend - (isInexact ? 1 : 0)
        return try DecimalNumber(isNegative: high.isNegative, rounding: difference, exponent: exponent)
    }

    package static func - (left: DecimalNumber, right: DecimalNumber) throws(CalculatorProblem) -> DecimalNumber {
        try left + -right
    }

    package static func * (left: DecimalNumber, right: DecimalNumber) throws(CalculatorProblem) -> DecimalNumber {
        try DecimalNumber(
            isNegative: left.isNegative != right.isNegative,
            rounding: UInt128(left.significand) * UInt128(right.significand),
            exponent: left.exponent + right.exponent
        )
    }

    /// Divides by another number; zero divided by zero is a division by zero as well.
    package static func / (left: DecimalNumber, right: DecimalNumber) throws(CalculatorProblem) -> DecimalNumber {
        if right.isZero { throw .divisionByZero }
        if left.isZero { return .zero }
        // A dividend of 38 digits has a quotient of at least 22 digits, so only a fraction of the last digit is lost.
        let shift = UInt128.largestExponent - left.digitCount
        return try DecimalNumber(
            isNegative: left.isNegative != right.isNegative,
            rounding: UInt128(left.significand) * UInt128.powerOfTen(shift) / UInt128(right.significand),
            exponent: left.exponent - right.exponent - shift
        )
    }

    /// Drops the last `count` digits of a significand, and returns whether any of them was not zero.
    private static func dropDigits(_ count: Int, of significand: UInt64) -> (kept: UInt128, isInexact: Bool) {
        guard count <= precision else { return (0, significand != 0) }
        let (kept, dropped) = UInt128(significand).quotientAndRemainder(dividingBy: UInt128.powerOfTen(count))
        return (kept, dropped != 0)
    }
}

extension DecimalNumber: LosslessStringConvertible {
    /// The number as the calculator shows it, without trailing zeros.
    ///
    /// From 10¹⁶ on and below 10⁻⁶, except for zero, it has an exponent, such as `1.234567890123456e20` and `1e-7`.
    package var description: String {
        guard !isZero else { return "0" }
        let sign = isNegative ? "-" : ""
        let digits = String(significand)
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

    /// Creates the number of a text with digits, such as `12`, `-0.50` or `1.5e-7`, if it can be represented exactly.
    package init?(_ text: String) {
        var rest = text.utf8[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative {
            rest.removeFirst()
        }
        var exponent = 0
        if let mark = rest.firstIndex(of: UInt8(ascii: "e")) {
            let written = Int(Substring(rest[rest.index(after: mark)...]))
            guard let written, (-1000...1000).contains(written) else { return nil }
            exponent = written
            rest = rest[..<mark]
        }

        let parts = rest.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, !whole.isEmpty else { return nil }
        var significand: UInt64 = 0
        for (part, isFraction) in zip(parts, [false, true]) {
            for byte in part {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                let longer = significand * 10 + UInt64(byte - UInt8(ascii: "0"))
                if longer < Self.limit {
                    significand = longer
                    exponent -= isFraction ? 1 : 0
                } else if byte == UInt8(ascii: "0") {
                    exponent += isFraction ? 0 : 1
                } else {
                    return nil
                }
            }
        }

        let number = try? DecimalNumber(isNegative: isNegative, rounding: UInt128(significand), exponent: exponent)
        guard let number, number.isZero == (significand == 0) else { return nil }
        self = number
    }
}

extension UInt128 {
    /// The largest exponent of a power of ten that fits.
    fileprivate static let largestExponent = 38

    fileprivate static func powerOfTen(_ exponent: Int) -> UInt128 {
        (0..<exponent).reduce(1) { power, _ in power * 10 }
    }

    /// The number of digits; 0 for zero.
    fileprivate var digitCount: Int { self == 0 ? 0 : String(self).utf8.count }
}
