/// The number that is being typed, in its typed form: `1.50` stays `1.50`.
///
/// It has at most 16 digits. A single `0` before the point does not count, but zeros after the point do:
/// `0.0000000000000001` is the smallest number that can be typed. A `DecimalNumber` represents every entry exactly.
struct TypedNumber: Equatable, Sendable {
    /// The digits without the point.
    private var significand: UInt64 = 0
    /// The number of digits after the point; `nil` before the point is typed.
    private var fractionDigits: Int?
    /// The number of digits that count towards the limit.
    private var digits = 0

    init() {}

    /// Creates the entry that shows a text, or `nil` if no typed keys show it.
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

    /// Returns whether a number is the value of a possible entry.
    static func canType(_ number: DecimalNumber) -> Bool {
        !number.isNegative && number.exponent >= -DecimalNumber.precision
            && number.exponent + number.digitCount <= DecimalNumber.precision
    }
}
