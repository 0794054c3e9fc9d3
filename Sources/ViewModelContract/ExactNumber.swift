/// A number of a JSON text, without rounding.
struct ExactNumber {
    private let digits: Int128
    private let exponent: Int

    /// Reads the text of a number.
    ///
    /// - Returns: nil for a number with more digits than an `Int128` holds.
    init?(_ text: String) {
        let parts = text.lowercased().split(separator: "e", omittingEmptySubsequences: false)
        let halves = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let fraction = halves.count == 2 ? halves[1] : ""
        guard let digits = Int128(String(halves[0] + fraction)), let power = parts.count == 2 ? Int(parts[1]) : 0,
            power.magnitude < 1_000_000
        else { return nil }
        self.digits = digits
        exponent = power - fraction.count
    }

    /// Returns whether the number is a multiple of another one.
    ///
    /// It is false if the common digits of both do not fit into an `Int128`.
    func isMultiple(of other: ExactNumber) -> Bool {
        let common = min(exponent, other.exponent)
        guard let multiple = scaled(to: common), let divisor = other.scaled(to: common), divisor != 0 else {
            return false
        }
        return multiple % divisor == 0
    }

    /// Returns the number as a count of units of this power of ten, or nil if it does not fit.
    private func scaled(to power: Int) -> Int128? {
        guard digits != 0 else { return 0 }
        var scaled = digits
        for _ in power..<exponent {
            let (product, isTooLarge) = scaled.multipliedReportingOverflow(by: 10)
            if isTooLarge { return nil }
            scaled = product
        }
        return scaled
    }
}
