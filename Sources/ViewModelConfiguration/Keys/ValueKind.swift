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
    func map<Other>(_ convert: @escaping @Sendable (Value) -> Other) -> ValueKind<Other> {
        ValueKind<Other>(
            expectation: expectation,
            isEchoed: isEchoed,
            value: { found throws(ValueProblem) in convert(try value(found)) },
            text: { _ in Optional.none }
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
        ValueKind(
            expectation: expectation,
            isEchoed: isEchoed,
            isPath: isPath,
            value: { found throws(ValueProblem) in
                guard let text = found.text, let value = make(text) else {
                    throw ValueProblem(expected: expectation)
                }
                return value
            },
            text: text
        )
    }
}

extension ValueKind<Int> {
    /// Returns a kind for the whole numbers of a range.
    package static func integer(_ range: ClosedRange<Int>) -> ValueKind {
        let isLimited = range != .min ... .max
        let expectation =
            isLimited ? "a whole number from \(range.lowerBound) to \(range.upperBound)" : "a whole number"
        return ValueKind(
            expectation: expectation,
            value: { found throws(ValueProblem) in
                guard let number = found.integer, range.contains(number) else {
                    throw ValueProblem(expected: expectation)
                }
                return number
            },
            text: { "\($0)" }
        )
    }
}

extension ValueKind<Double> {
    /// A number with or without a fraction.
    static let number = ValueKind(
        expectation: "a number",
        value: { found throws(ValueProblem) in
            guard let number = found.number, number.isFinite else { throw ValueProblem(expected: "a number") }
            return number
        },
        text: { "\($0)" }
    )
}

extension ValueKind<Bool> {
    /// True or false.
    package static let boolean = ValueKind(
        expectation: "true or false",
        value: { found throws(ValueProblem) in
            guard let value = found.boolean else { throw ValueProblem(expected: "true or false") }
            return value
        },
        text: { "\($0)" }
    )
}

extension ValueKind where Value: RawRepresentable<String> & CaseIterable {
    /// One of several names.
    package static var choice: ValueKind {
        let names = Value.allCases.map(\.rawValue)
        let expectation = names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
        return .text(expectation, make: Value.init(rawValue:), text: \.rawValue)
    }
}
