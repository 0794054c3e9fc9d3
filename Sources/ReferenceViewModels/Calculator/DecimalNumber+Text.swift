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

    /// Creates the number of a text, if the number can be represented exactly.
    ///
    /// - Parameter text: Digits with an optional sign `-`, point and exponent, such as `12`, `-0.50` or `1.5e-7`.
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
                if longer < PowersOfTen.limit {
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
