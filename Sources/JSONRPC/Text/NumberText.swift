/// Functions that convert the verified JSON text of numbers to Swift's types.
enum NumberText {
    /// The outcome of reading an integer.
    enum Integer {
        case value(isNegative: Bool, magnitude: UInt64)
        case fraction
        case tooLarge
    }

    /// Reads an integer.
    ///
    /// `1.0` and `1e2` are integers.
    @inline(__always)
    static func integer(_ text: Bytes) -> Integer {
        let isNegative = text.first == ASCII.minus
        let start = isNegative ? 1 : 0
        // 19 digits always fit into 64 bits.
        guard text.count - start <= 19 else { return anyInteger(text) }
        var magnitude: UInt64 = 0
        for offset in start..<text.count {
            let digit = text[offset] &- ASCII.zero
            guard digit <= 9 else { return anyInteger(text) }
            magnitude = magnitude &* 10 &+ UInt64(digit)
        }
        return .value(isNegative: isNegative, magnitude: magnitude)
    }

    @inline(never)
    private static func anyInteger(_ text: Bytes) -> Integer {
        let decimal = DecimalText(text)
        guard decimal.isInteger else { return .fraction }
        guard let magnitude = decimal.magnitude else { return .tooLarge }
        return .value(isNegative: decimal.isNegative, magnitude: magnitude)
    }

    /// Reads a floating-point number, correctly rounded.
    ///
    /// Text out of range yields infinity.
    static func double(_ text: Bytes) -> Double {
        // A mantissa up to 2^53 and a power up to 10^22 are exact. One division then rounds correctly (Clinger 1990).
        let isNegative = text.first == ASCII.minus
        var mantissa: UInt64 = 0
        var fraction = 0
        var isBehindPoint = false
        for offset in (isNegative ? 1 : 0)..<text.count {
            let digit = text[offset] &- ASCII.zero
            if digit <= 9, mantissa < 900_000_000_000_000 {
                mantissa = mantissa &* 10 &+ UInt64(digit)
                if isBehindPoint { fraction += 1 }
            } else if text[offset] == ASCII.point {
                isBehindPoint = true
            } else {
                return anyDouble(text)
            }
        }
        guard fraction < powersOfTen.count else { return anyDouble(text) }
        let value = fraction == 0 ? Double(mantissa) : Double(mantissa) / powersOfTen[fraction]
        return isNegative ? -value : value
    }

    @inline(never)
    private static func anyDouble(_ text: Bytes) -> Double {
        Double(String(decoding: text, as: UTF8.self)) ?? .infinity
    }

    /// Reads a number as ``double(_:)`` does, rounded once to `Float`.
    static func float(_ text: Bytes) -> Float {
        Float(String(decoding: text, as: UTF8.self)) ?? .infinity
    }

    private static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    ]
}
