extension DecimalNumber {
    /// Adds two numbers.
    ///
    /// - Throws: `CalculatorProblem.overflow`.
    package static func + (left: DecimalNumber, right: DecimalNumber) throws(CalculatorProblem) -> DecimalNumber {
        if left.isZero { return right }
        if right.isZero { return left }
        let (high, low) = left.exponent >= right.exponent ? (left, right) : (right, left)

        // Scale both to the lower exponent, or as near to it as 38 digits allow. Only the number with the lower
        // exponent can have digits below the unit. It has at most 16 digits, so the other number is then larger by 20
        // digits or more.
        let distance = high.exponent - low.exponent
        let shift = min(distance, PowersOfTen.largest - high.digitCount)
        let augend = UInt128(high.significand) * PowersOfTen[shift]
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

    /// Subtracts the second number from the first.
    ///
    /// - Throws: `CalculatorProblem.overflow`.
    package static func - (left: DecimalNumber, right: DecimalNumber) throws(CalculatorProblem) -> DecimalNumber {
        try left + -right
    }

    /// Multiplies two numbers.
    ///
    /// - Throws: `CalculatorProblem.overflow`.
    package static func * (left: DecimalNumber, right: DecimalNumber) throws(CalculatorProblem) -> DecimalNumber {
        try DecimalNumber(
            isNegative: left.isNegative != right.isNegative,
            rounding: UInt128(left.significand) * UInt128(right.significand),
            exponent: left.exponent + right.exponent
        )
    }

    /// Divides the first number by the second.
    ///
    /// - Throws: `CalculatorProblem.divisionByZero`, also for zero divided by zero, or `CalculatorProblem.overflow`.
    package static func / (left: DecimalNumber, right: DecimalNumber) throws(CalculatorProblem) -> DecimalNumber {
        if right.isZero { throw .divisionByZero }
        if left.isZero { return .zero }
        // A dividend of 38 digits has a quotient of at least 22 digits, so only a fraction of the last digit is lost.
        let shift = PowersOfTen.largest - left.digitCount
        return try DecimalNumber(
            isNegative: left.isNegative != right.isNegative,
            rounding: UInt128(left.significand) * PowersOfTen[shift] / UInt128(right.significand),
            exponent: left.exponent - right.exponent - shift
        )
    }

    /// Drops the last `count` digits of a significand, and returns whether any of them was not zero.
    private static func dropDigits(_ count: Int, of significand: UInt64) -> (kept: UInt128, isInexact: Bool) {
        guard count <= precision else { return (0, significand != 0) }
        let (kept, dropped) = UInt128(significand).quotientAndRemainder(dividingBy: PowersOfTen[count])
        return (kept, dropped != 0)
    }
}
