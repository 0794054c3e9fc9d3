/// The powers of ten that fit into 128 bits.
enum PowersOfTen {
    /// The largest exponent.
    static let largest = 38

    /// The first whole number with more digits than a `DecimalNumber` keeps.
    static let limit: UInt64 = 10_000_000_000_000_000

    private static let table: [UInt128] = {
        var powers: [UInt128] = [1]
        for exponent in 1...largest {
            powers.append(powers[exponent - 1] * 10)
        }
        return powers
    }()

    static subscript(exponent: Int) -> UInt128 { table[exponent] }

    /// How many digits a whole number has; zero has none.
    static func digitCount(_ number: UInt128) -> Int {
        let bits = UInt128.bitWidth - number.leadingZeroBitCount
        // 1233 / 4096 is log₁₀ 2, near enough for 128 bits to be one too few at most.
        let atLeast = (bits * 1233) >> 12
        return number >= table[atLeast] ? atLeast + 1 : atLeast
    }
}
