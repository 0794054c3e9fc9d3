/// The number that is being typed, in its typed form: `1.50` stays `1.50`.
///
/// It has at most 16 digits. A single `0` before the point does not count, but zeros after the point do:
/// `0.0000000000000001` is the smallest number that can be typed. A `DecimalNumber` represents every entry exactly.
struct TypedNumber: Equatable, Sendable {
    private(set) var text = "0"

    init() {}

    /// Creates the entry that shows a text, or `nil` if no typed keys show it.
    init?(typing text: String) {
        for character in text {
            guard let key = Key(rawValue: String(character)), key.isTyped else { return nil }
            append(key)
        }
        guard self.text == text else { return nil }
    }

    /// Whether this is a `0` without a point, which the next digit replaces.
    var isPlainZero: Bool { text == "0" }

    /// Appends a digit or the point.
    mutating func append(_ key: Key) {
        let hasPoint = text.contains(".")
        if key == .point {
            if !hasPoint { text += key.rawValue }
            return
        }
        let digits = text.utf8.count - (hasPoint ? 1 : 0) - (text.hasPrefix("0") ? 1 : 0)
        guard digits < DecimalNumber.precision else { return }
        text = isPlainZero ? key.rawValue : text + key.rawValue
    }

    var value: DecimalNumber { DecimalNumber(text) ?? .zero }

    /// Returns whether a number is the value of a possible entry.
    static func canType(_ number: DecimalNumber) -> Bool {
        number.significand >= 0 && number.exponent >= -DecimalNumber.precision
            && number.exponent + number.digitCount <= DecimalNumber.precision
    }
}
