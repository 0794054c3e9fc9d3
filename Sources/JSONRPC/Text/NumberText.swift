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
    static func float<T: BinaryFloatingPoint & LosslessStringConvertible>(_ text: Bytes) -> T {
        T(String(decoding: text, as: UTF8.self)) ?? .infinity
    }
}
