/// The number that is being typed, as it was typed: `1.50` stays `1.50`.
///
/// At most 16 digits are taken. A `0` alone before the point is not one of them, zeros after it are: `0.0000000000000001`
/// is the smallest number that can be typed. Everything that can be typed is exact as a `DecimalNumber`.
struct Entry: Equatable, Sendable {
    /// The digits without the point.
    private var significand: UInt64 = 0
    /// How many digits stand behind the point; `nil` before the point is typed.
    private var fractionDigits: Int?
    /// How many digits count towards the limit.
    private var digits = 0

    /// Creates the number `0` before anything was typed.
    init() {}

    /// Creates the number that typing a text would give, or `nil` if no typing shows this text.
    init?(typing text: String) {
        for character in text {
            switch Key(rawValue: String(character))?.role {
            case .digit(let digit): append(digit)
            case .point: appendPoint()
            default: return nil
            }
        }
        guard self.text == text else { return nil }
    }

    /// Whether this is a `0` without a point, which the next digit replaces.
    var isPlainZero: Bool { digits == 0 && fractionDigits == nil }

    mutating func append(_ digit: UInt64) {
        guard digits < DecimalNumber.precision, !(isPlainZero && digit == 0) else { return }
        significand = significand * 10 + digit
        digits += 1
        if let typed = fractionDigits {
            fractionDigits = typed + 1
        }
    }

    mutating func appendPoint() {
        if fractionDigits == nil {
            fractionDigits = 0
        }
    }

    var value: DecimalNumber {
        DecimalNumber(significand, fractionDigits: fractionDigits ?? 0)
    }

    var text: String {
        var text = String(significand)
        guard let fractionDigits else { return text }
        let missing = fractionDigits + 1 - text.utf8.count
        if missing > 0 {
            text = String(repeating: "0", count: missing) + text
        }
        return "\(text.dropLast(fractionDigits)).\(text.suffix(fractionDigits))"
    }

    /// Whether a number is the value of something that can be typed.
    static func canType(_ number: DecimalNumber) -> Bool {
        !number.isNegative && number.exponent >= -DecimalNumber.precision
            && number.exponent + number.digitCount <= DecimalNumber.precision
    }
}
