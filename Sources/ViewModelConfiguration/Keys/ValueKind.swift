import Configuration

/// What the value of a key may be, and how it is made from what a source holds.
struct ValueKind<Value: Equatable & Sendable>: Sendable {
    /// What a source is asked for.
    let type: ConfigType
    /// Completes "expected …".
    let expectation: String
    /// Whether an error shows what was found instead; not where that may be a secret in the wrong place.
    var isEchoed = true
    /// Makes the value.
    let value: @Sendable (ConfigContent) throws(ValueProblem) -> Value
    /// Writes the value as YAML; nil for no value.
    let text: @Sendable (Value) -> String?
}

extension ValueKind {
    /// The same kind where there may be no value.
    static func optional<Wrapped>(_ kind: ValueKind<Wrapped>) -> ValueKind where Value == Wrapped? {
        ValueKind(
            type: kind.type,
            expectation: kind.expectation,
            isEchoed: kind.isEchoed,
            value: { content throws(ValueProblem) in try kind.value(content) },
            text: { $0.flatMap(kind.text) }
        )
    }

    /// A kind that is written as text, which `make` turns into a value or refuses.
    static func text(
        _ expectation: String,
        isEchoed: Bool = true,
        make: @escaping @Sendable (String) -> Value?,
        text: @escaping @Sendable (Value) -> String
    ) -> ValueKind {
        ValueKind(
            type: .string,
            expectation: expectation,
            isEchoed: isEchoed,
            value: { content throws(ValueProblem) in
                guard case .string(let text) = content, let value = make(text) else {
                    throw ValueProblem(expected: expectation)
                }
                return value
            },
            text: text
        )
    }
}

extension ValueKind<Int> {
    /// A whole number of a range.
    static func integer(_ range: ClosedRange<Int>) -> ValueKind {
        let expectation = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        return ValueKind(
            type: .int,
            expectation: expectation,
            value: { content throws(ValueProblem) in
                guard case .int(let number) = content, range.contains(number) else {
                    throw ValueProblem(expected: expectation)
                }
                return number
            },
            text: { "\($0)" }
        )
    }
}

extension ValueKind<Bool> {
    /// True or false.
    static let boolean = ValueKind(
        type: .bool,
        expectation: "true or false",
        value: { content throws(ValueProblem) in
            guard case .bool(let value) = content else { throw ValueProblem(expected: "true or false") }
            return value
        },
        text: { "\($0)" }
    )
}

extension ValueKind where Value: RawRepresentable<String> & CaseIterable {
    /// One of several names.
    static var choice: ValueKind {
        let names = Value.allCases.map(\.rawValue)
        let expectation = names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
        return .text(expectation, make: Value.init(rawValue:), text: \.rawValue)
    }
}
