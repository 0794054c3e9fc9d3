/// The powers of ten that fit into 128 bits.
enum PowersOfTen {
    /// The largest exponent.
    static let largest = 38

    /// The smallest integer with more digits than a `DecimalNumber` has.
    static let limit: UInt64 = 10_000_000_000_000_000

    private static let table: [UInt128] = {
        var powers: [UInt128] = [1]
        for exponent in 1...largest {
            powers.append(powers[exponent - 1] * 10)
        }
        return powers
    }()

    static subscript(exponent: Int) -> UInt128 { table[exponent] }

    /// Returns the number of digits of an integer; 0 for zero.
    static func digitCount(_ number: UInt128) -> Int {
        let bits = UInt128.bitWidth - number.leadingZeroBitCount
        // 1233 / 4096 approximates log₁₀ 2. For 128 bits the estimate is too low by at most one.
        let atLeast = (bits * 1233) >> 12
        return number >= table[atLeast] ? atLeast + 1 : atLeast
    }
}
