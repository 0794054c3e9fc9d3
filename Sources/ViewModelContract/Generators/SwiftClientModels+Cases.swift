/// The events and the failures of a ViewModel type in a generated Swift client: enums that are read from the wire.
extension SwiftClientModels {
    /// A case of such an enum, and the pattern of its form on the wire.
    private struct WireCase {
        var declaration: SwiftClientText.Case
        var pattern: String
    }

    mutating func declareEvents(_ type: ContractType, _ name: String, _ event: String) {
        var scope = SwiftClientScope(reserved: ["unknown", "hash"])
        let cases = type.outputs.filter { $0.kind == .event }.map { output in
            let hint = name + SwiftClientNames.type(output.name)
            let payload = contract.components.resolved(output.schema).isNull ? nil : types.type(output.schema, hint)
            return WireCase(
                declaration: SwiftClientText.Case(
                    name: SwiftClientNames.code(scope.take(SwiftClientNames.member(output.name))),
                    payload: payload,
                    doc: [output.description.isEmpty ? "The event `\(output.name)`." : output.description]
                ),
                pattern: SwiftClientText.literal(output.name)
            )
        }
        let unknown = SwiftClientText.Case(
            name: "unknown",
            payload: "OutputEvent",
            doc: ["An event that this contract does not have, or one with a value of another form."]
        )
        declare(
            "public enum \(event): RemoteEvent",
            "What happens once in `\(name)`.",
            cases,
            otherwise: unknown,
            "Creates an event from its form on the wire.",
            "public init(_ event: OutputEvent)",
            over: "event.output",
            decoding: "event.decoded"
        )
    }

    /// Declares the failures: a case for each pair of a name and a type of details.
    mutating func declareFailures(_ type: ContractType, _ name: String, _ failure: String) {
        var scope = SwiftClientScope(reserved: ["other", "hash"])
        let declared = type.actions.flatMap { action in action.failures.map { (action: action.name, failure: $0) } }
        func isSame(_ one: ContractType.Failure, _ other: ContractType.Failure) -> Bool {
            one.error == other.error && one.details?.node.json == other.details?.node.json
        }
        let distinct = declared.indices.filter { index in
            !declared[..<index].contains { isSame($0.failure, declared[index].failure) }
        }
        let cases = distinct.map { declared[$0].failure }.map { one in
            var doc = [
                one.description.isEmpty ? "The failure `\(one.error)`." : one.description,
                one.isRetryable ? "The same call may succeed later." : "",
            ]
            var pattern = SwiftClientText.literal(one.error)
            if declared.contains(where: { $0.failure.error == one.error && !isSame($0.failure, one) }) {
                // The details alone may not show which failure it is.
                let actions = declared.filter { isSame($0.failure, one) }.map(\.action)
                let list = actions.map(SwiftClientText.literal).joined(separator: ", ")
                pattern += " where [\(list)].contains(failure.action)"
                doc.append("The failure of \(actions.map { "`\($0)`" }.joined(separator: ", ")).")
            }
            return WireCase(
                declaration: SwiftClientText.Case(
                    name: SwiftClientNames.code(scope.take(SwiftClientNames.member(one.error))),
                    payload: one.details.map { types.type($0, name + SwiftClientNames.type(one.error)) },
                    doc: doc
                ),
                pattern: pattern
            )
        }
        let other = SwiftClientText.Case(
            name: "other",
            payload: "RemoteFailure",
            doc: ["A failure that the contract does not declare, or one with details of another form."]
        )
        declare(
            "public enum \(failure): DeclaredFailure",
            "The failures that the actions of `\(name)` declare.",
            cases,
            otherwise: other,
            "Creates a typed failure.",
            "public init(_ failure: RemoteFailure)",
            over: "failure.error",
            decoding: "failure.decodedDetails"
        )
    }

    private mutating func declare(
        _ head: String,
        _ description: String,
        _ cases: [WireCase],
        otherwise: SwiftClientText.Case,
        _ initializerDescription: String,
        _ initializer: String,
        over subject: String,
        decoding: String
    ) {
        let value = subject.prefix { $0 != "." }
        let lines = cases.flatMap { one -> [String] in
            let name = one.declaration.name
            guard let payload = one.declaration.payload else { return ["case \(one.pattern): self = .\(name)"] }
            let decoded = "\(decoding)(as: \(payload).self).map { .\(name)($0) }"
            return ["case \(one.pattern):", "    self = \(decoded) ?? .\(otherwise.name)(\(value))"]
        }
        var text = SwiftClientText()
        text.doc(description)
        text.block(head) { text in
            text.cases(cases.map(\.declaration) + [otherwise])
            text.choice(
                initializerDescription,
                initializer,
                over: subject,
                lines + ["default: self = .\(otherwise.name)(\(value))"]
            )
        }
        declarations.append(text)
    }
}
