import JSONRPC
import TextPatterns

/// The bounds of one value, with the form of the values that they apply to.
struct BoundsRule: Sendable {
    /// The format of a number in a string, as `Decimal` is written.
    private static let decimal = "decimal"

    private let form: Schema
    private let bounds: Bounds
    /// The pattern; nil without one, and for a text that is not a pattern, which matches any string.
    ///
    /// The macro refuses a literal that is not a pattern.
    private let pattern: TextPattern?

    init(_ bounds: Bounds, of schema: Schema) {
        var bounds = bounds
        form = Self.form(of: schema)
        pattern = bounds.pattern.flatMap { try? TextPattern($0) }
        // A longer text is refused without a search. The error says so if a message can be that long.
        let maximum = min(bounds.maximum?.value ?? .infinity, 0x10_0000)
        let isText = if case .string(let format, _) = form { format != Self.decimal } else { false }
        if isText, let pattern, Double(pattern.longestText) < maximum {
            bounds.maximum = .integer(pattern.longestText)
        }
        self.bounds = bounds
    }

    /// Returns the form of a value that is not null.
    private static func form(of schema: Schema) -> Schema {
        switch schema.form {
        case .optional(let value), .document(_, let value): form(of: value)
        case let form: form
        }
    }

    /// The range of an integer, or nil if the value is none or if a bound is not an integer.
    var integers: ClosedRange<Int>? {
        guard case .integer = form else { return nil }
        var (low, high) = (Int.min, Int.max)
        switch bounds.minimum {
        case .integer(let minimum): low = minimum
        case .number: return nil
        case nil: break
        }
        switch bounds.maximum {
        case .integer(let maximum): high = maximum
        case .number: return nil
        case nil: break
        }
        return low <= high ? low...high : nil
    }

    /// Returns whether a value is within the bounds.
    ///
    /// A value of another kind, such as null, has no bounds.
    func admits(_ value: JSONValue) -> Bool {
        switch (form, value) {
        case (.integer, .number):
            if let integers, let number = value.intValue { return integers.contains(number) }
            return value.doubleValue.map(contains) ?? true
        case (.number, .number): return value.doubleValue.map(contains) ?? true
        case (.string(format: Self.decimal, _), .string(let text)): return Double(text).map(contains) ?? true
        // JSON Schema counts the code points, not the characters of a reader.
        case (.string, .string(let text)):
            return contains(Double(text.unicodeScalars.count)) && pattern?.occurs(in: text) != false
        case (.array, .array(let elements)): return contains(Double(elements.count))
        default: return true
        }
    }

    private func contains(_ value: Double) -> Bool {
        if let minimum = bounds.minimum, value < minimum.value { return false }
        if let maximum = bounds.maximum, value > maximum.value { return false }
        return true
    }

    /// The values within the bounds, for an error.
    var text: String {
        switch form {
        case .integer: "an integer\(range)"
        case .number, .string(format: Self.decimal, _): "a number\(range)"
        case .string: "a string\(count("character"))\(bounds.pattern.map { " that matches \($0)" } ?? "")"
        case .array: "an array\(count("element"))"
        default: "a value"
        }
    }

    private var range: String {
        switch (bounds.minimum, bounds.maximum) {
        case (let minimum?, let maximum?): " from \(minimum) to \(maximum)"
        case (let minimum?, nil): " of \(minimum) or more"
        case (nil, let maximum?): " of at most \(maximum)"
        case (nil, nil): ""
        }
    }

    private func count(_ unit: String) -> String {
        ValueMismatch.count(of: unit, from: bounds.minimum?.description, to: bounds.maximum?.description)
    }
}

extension Bounds.Limit: CustomStringConvertible {
    /// The number as JSON writes it.
    package var description: String {
        switch self {
        case .integer(let integer): "\(integer)"
        case .number(let number): "\(number)"
        }
    }
}
