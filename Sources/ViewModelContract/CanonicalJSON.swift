package import JSONRPC

extension JSONValue {
    /// The canonical JSON text of the value (RFC 8785).
    ///
    /// Members are sorted by the UTF-16 code units of their names, and a number is written as ECMAScript writes it. A
    /// number beyond the range of `Double`, which RFC 8785 excludes, keeps its text.
    package var canonical: [UInt8] { canonicalForm.text }

    /// The value in whose text the members and the numbers are those of the canonical one.
    private var canonicalForm: JSONValue {
        switch self {
        case .null, .bool, .string: return self
        case .number(let text): return .number(doubleValue.map(Self.ecmaScript) ?? text)
        case .array(let elements): return .array(elements.map(\.canonicalForm))
        case .object(let members):
            let sorted = members.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
            return .object(JSONObject(sorted.map { ($0.key, $0.value.canonicalForm) }))
        }
    }

    /// Returns the text of a finite number by the rules of ECMAScript (`Number::toString`).
    ///
    /// Swift and ECMAScript choose the same digits, the fewest that read back to the same value. They differ in the
    /// place of the point.
    static func ecmaScript(_ value: Double) -> String {
        guard value != 0 else { return "0" }
        let parts = value.magnitude.description.split(separator: "e")
        let mantissa = parts[0].split(separator: ".")
        let fraction = mantissa.count > 1 && mantissa[1] != "0" ? mantissa[1] : ""
        let written = mantissa[0] + fraction
        let digits = String(written.drop { $0 == "0" }.reversed().drop { $0 == "0" }.reversed())
        let leadingZeros = written.prefix { $0 == "0" }.count
        // The value is 0.DIGITS × 10^point.
        let point = mantissa[0].count - leadingZeros + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
        let text: String
        switch point {
        case digits.count...21 where point >= digits.count:
            text = digits + String(repeating: "0", count: point - digits.count)
        case 1...21:
            text = digits.prefix(point) + "." + digits.dropFirst(point)
        case -5...0:
            text = "0." + String(repeating: "0", count: -point) + digits
        default:
            let exponent = point - 1
            let rest = digits.dropFirst()
            text =
                digits.prefix(1) + (rest.isEmpty ? "" : "." + rest) + (exponent < 0 ? "e-" : "e+")
                + "\(exponent.magnitude)"
        }
        return value < 0 ? "-" + text : text
    }
}
