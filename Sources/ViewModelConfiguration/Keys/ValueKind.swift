import JSONRPC
package import ViewModelKit

/// A kind of value: its valid forms and its conversion from a source.
package struct ValueKind: Sendable {
    /// Completes "expected …".
    let expectation: String
    /// Whether an error quotes the value that was found.
    ///
    /// False if that value may be a misplaced secret.
    var isEchoed = true
    /// Whether the value may be a path, which may have bytes that are not UTF-8 (`String.init(systemBytes:)`).
    var isPath = false
    /// Converts the value of a source.
    let value: @Sendable (ConfigurationValue) throws(ValueProblem) -> JSONValue
}

/// A type of values with a kind of its own.
package protocol ConfigurableValue {
    static var kind: ValueKind { get }
}

extension ValueKind {
    /// Returns the kind of the values of a schema; nil if a key cannot have such values.
    package static func of(_ schema: Schema, within bounds: Bounds? = nil) -> ValueKind? {
        switch schema {
        case .type(let value):
            switch value.type.schema.form {
            // The runtime searches long for a conformance, and other types have none.
            case .string, .array, .any:
                (value.type as? any ConfigurableValue.Type)?.kind ?? of(value.type.schema.form, within: bounds)
            case let form: of(form, within: bounds)
            }
        case .annotated(let schema, let annotation): of(schema, within: annotation.bounds ?? bounds)
        case .optional(let schema), .document(_, let schema): of(schema, within: bounds)
        case .string: text("a text", isEchoed: !schema.isSecret) { _ in true }
        case .enumeration(let names): text(alternatives(names), where: names.contains)
        case .boolean: read("true or false") { $0.boolean.map { .bool($0) } }
        case .number: read("a number") { $0.number.flatMap { $0.isFinite ? .number("\($0)") : nil } }
        case .integer(let range):
            integer(
                bounds?.minimum?.intValue ?? Int(clamping: range?.lowerBound ?? .min),
                bounds?.maximum?.intValue ?? Int(clamping: range?.upperBound ?? .max)
            )
        case .integerEnumeration(let values):
            integer(Int(clamping: values.min() ?? 0), Int(clamping: values.max() ?? 0))
        default: nil
        }
    }

    /// Returns a kind of texts.
    package static func text(
        _ expectation: String,
        isEchoed: Bool = true,
        isPath: Bool = false,
        where isValid: @escaping @Sendable (String) -> Bool
    ) -> ValueKind {
        read(expectation, isEchoed: isEchoed, isPath: isPath) { found in
            found.text.flatMap { isValid($0) ? .string($0) : nil }
        }
    }

    /// Returns a kind whose values `read` converts, or refuses with nil.
    static func read(
        _ expectation: String,
        isEchoed: Bool = true,
        isPath: Bool = false,
        _ read: @escaping @Sendable (ConfigurationValue) -> JSONValue?
    ) -> ValueKind {
        ValueKind(expectation: expectation, isEchoed: isEchoed, isPath: isPath) { found throws(ValueProblem) in
            guard let value = read(found) else { throw ValueProblem(expected: expectation) }
            return value
        }
    }

    private static func integer(_ least: Int, _ most: Int) -> ValueKind {
        let isLimited = least != .min || most != .max
        return read(isLimited ? "a whole number from \(least) to \(most)" : "a whole number") {
            $0.integer.flatMap { $0 >= least && $0 <= most ? .integer($0) : nil }
        }
    }

    private static func alternatives(_ names: [String]) -> String {
        names.dropLast().joined(separator: ", ") + (names.count > 1 ? " or " : "") + (names.last ?? "")
    }
}
