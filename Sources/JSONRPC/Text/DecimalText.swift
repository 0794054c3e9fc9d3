/// The normalized form of a number's JSON text: `±digits × 10^exponent`, without leading or trailing zeros.
///
/// Two texts have the same value exactly if their normalized forms are equal. Zero has no digits and no sign.
package struct DecimalText: Hashable {
    private(set) var isNegative = false
    package private(set) var digits: [UInt8] = []
    package private(set) var exponent = 0

    /// Normalizes a verified number.
    package init(_ text: String) {
        self = Array(text.utf8).withUnsafeBytes { DecimalText($0) }
    }

    /// Normalizes a verified number.
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
                // The cap prevents an overflow. No text has enough digits to compensate for an exponent of 2^40.
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

    var isInteger: Bool { exponent >= 0 }

    /// The absolute value, or nil if the number has a fraction or exceeds `UInt64.max`.
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
