/// A number's JSON text taken apart: `±digits × 10^exponent`, without leading or trailing zeros.
///
/// Two texts have the same value exactly when these are equal; zero has no digits and no sign.
struct DecimalText: Hashable {
    var isNegative = false
    var digits: [UInt8] = []
    var exponent = 0

    /// Takes a verified number apart.
    init(_ text: Bytes) {
        var exponentValue = 0
        var hasNegativeExponent = false
        var isBehindPoint = false
        var isExponent = false
        for byte in text {
            switch byte {
            case ASCII.minus:
                if isExponent { hasNegativeExponent = true } else { isNegative = true }
            case ASCII.point:
                isBehindPoint = true
            case 0x65, 0x45:
                isExponent = true
            case ASCII.zero...ASCII.nine where isExponent:
                // No text is long enough to bring so large an exponent back into reach.
                exponentValue = min(exponentValue * 10 + Int(byte - ASCII.zero), 1 << 40)
            case ASCII.zero...ASCII.nine:
                if isBehindPoint { exponent -= 1 }
                if byte != ASCII.zero || !digits.isEmpty { digits.append(byte) }
            default:
                break
            }
        }
        exponent += hasNegativeExponent ? -exponentValue : exponentValue
        while digits.last == ASCII.zero {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty {
            exponent = 0
            isNegative = false
        }
    }

    /// Whether the number has no fraction.
    var isInteger: Bool { exponent >= 0 }

    /// The integer's magnitude; nil where it is none, or too large.
    var magnitude: UInt64? {
        guard isInteger, digits.count + min(exponent, 20) <= 20 else { return nil }
        var result: UInt64 = 0
        for index in 0..<(digits.count + exponent) {
            let digit = index < digits.count ? UInt64(digits[index] - ASCII.zero) : 0
            let (product, isTooLarge) = result.multipliedReportingOverflow(by: 10)
            let (sum, isStillTooLarge) = product.addingReportingOverflow(digit)
            guard !isTooLarge, !isStillTooLarge else { return nil }
            result = sum
        }
        return result
    }
}
