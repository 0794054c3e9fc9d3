package import JSONRPC

/// A kind of value: its valid forms and its conversion from a source.
package struct ValueKind<Value: Equatable & Sendable>: Sendable {
    /// Completes "expected …".
    let expectation: String
    /// Whether an error quotes the value that was found.
    ///
    /// False if that value may be a misplaced secret.
    var isEchoed = true
    /// Whether the value may be a path, which may have bytes that are not UTF-8 (`String.init(systemBytes:)`).
    var isPath = false
    /// Converts the value of a source.
    let value: @Sendable (ConfigurationValue) throws(ValueProblem) -> Value
    /// Returns the value as YAML, or nil for no value.
    let text: @Sendable (Value) -> String?
}

extension ValueKind {
    /// The same kind for a value that may be missing.
    package static func optional<Wrapped>(_ kind: ValueKind<Wrapped>) -> ValueKind where Value == Wrapped? {
        ValueKind(
            expectation: kind.expectation,
            isEchoed: kind.isEchoed,
            isPath: kind.isPath,
            value: { found throws(ValueProblem) in try kind.value(found) },
            text: { $0.flatMap(kind.text) }
        )
    }

    /// The same kind with converted values, for a key without a default.
    package func json(_ convert: @escaping @Sendable (Value) -> JSONValue) -> ValueKind<JSONValue> {
        ValueKind<JSONValue>(
            expectation: expectation,
            isEchoed: isEchoed,
            value: { found throws(ValueProblem) in convert(try value(found)) },
            text: { _ in Optional.none }
        )
    }

    /// Returns a kind whose values `read` converts, or refuses with nil.
    static func read(
        _ expectation: String,
        isEchoed: Bool = true,
        isPath: Bool = false,
        text: @escaping @Sendable (Value) -> String? = { "\($0)" },
        _ read: @escaping @Sendable (ConfigurationValue) -> Value?
    ) -> ValueKind {
        ValueKind(
            expectation: expectation,
            isEchoed: isEchoed,
            isPath: isPath,
            value: { found throws(ValueProblem) in
                guard let value = read(found) else { throw ValueProblem(expected: expectation) }
                return value
            },
            text: text
        )
    }

    /// Returns a kind that is written as text.
    ///
    /// `make` parses the text, or returns nil for an invalid one.
    package static func text(
        _ expectation: String,
        isEchoed: Bool = true,
        isPath: Bool = false,
        make: @escaping @Sendable (String) -> Value?,
        text: @escaping @Sendable (Value) -> String
    ) -> ValueKind {
        read(expectation, isEchoed: isEchoed, isPath: isPath, text: text) { $0.text.flatMap(make) }
    }
}

extension ValueKind<Int> {
    /// Returns a kind for the whole numbers of a range.
    package static func integer(_ range: ClosedRange<Int>) -> ValueKind {
        let isLimited = range != .min ... .max
        return read(isLimited ? "a whole number from \(range.lowerBound) to \(range.upperBound)" : "a whole number") {
            $0.integer.flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension ValueKind<Double> {
    /// A number with or without a fraction.
    package static let number = read("a number") { $0.number.flatMap { $0.isFinite ? $0 : nil } }
}

extension ValueKind<Bool> {
    /// True or false.
    package static let boolean = read("true or false") { $0.boolean }
}

extension ValueKind where Value: RawRepresentable<String> & CaseIterable {
    /// One of several names.
    package static var choice: ValueKind {
        .text(alternatives(Value.allCases.map(\.rawValue)), make: Value.init(rawValue:), text: \.rawValue)
    }
}

extension ValueKind<JSONValue> {
    /// One of several names, for a key without a default.
    package static func choice(_ names: [String]) -> ValueKind {
        .text(alternatives(names), make: { names.contains($0) ? .string($0) : Optional.none }, text: { "\($0)" })
    }

    /// A text, for a key without a default.
    package static func string(isEchoed: Bool) -> ValueKind {
        .text("a text", isEchoed: isEchoed, make: { .string($0) }, text: { "\($0)" })
    }
}

private func alternatives(_ names: [String]) -> String {
    names.dropLast().joined(separator: ", ") + (names.count > 1 ? " or " : "") + (names.last ?? "")
}
