import JSONRPC
import ViewModelContract

/// The events and the failures of a ViewModel type in a generated Swift client: enums that are read from the wire.
extension SwiftClientModels {
    /// A case of such an enum, and the pattern of its form on the wire.
    private struct WireCase {
        var declaration: SwiftClientText.Case
        var pattern: String
    }

    /// What makes two declared failures of a type one.
    private struct Declared: Hashable {
        let error: String
        let details: JSONValue?
    }

    mutating func declareEvents(_ type: ContractType, _ name: String, _ event: String) {
        var scope = SwiftClientScope(reserved: SwiftClientScope.optional.union(["unknown", "hash"]))
        let events = type.outputs.filter { $0.kind == .event }
        let cases = zip(events, scope.members(events.map(\.name))).map { output, member in
            let place = GeneratedPlace(
                path: "\(type.name).outputs.\(output.name)",
                hint: name + SwiftClientNames.type(output.name)
            )
            types.given.add(member, at: place.path, "event")
            let payload = contract.components.resolved(output.schema).isNull ? nil : types.type(output.schema, place)
            return WireCase(
                declaration: SwiftClientText.Case(
                    name: SwiftClientNames.code(member),
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
        var scope = SwiftClientScope(reserved: SwiftClientScope.optional.union(["other", "hash"]))
        // The actions that declare a failure, by its name and its details.
        var actions: [Declared: [String]] = [:]
        var distinct: [(declared: Declared, failure: ContractType.Failure)] = []
        for action in type.actions {
            for failure in action.failures {
                let declared = Declared(error: failure.error, details: failure.details?.node.json)
                if actions[declared] == nil { distinct.append((declared, failure)) }
                actions[declared, default: []].append(action.name)
            }
        }
        let counts = Dictionary(grouping: distinct, by: \.failure.error).mapValues(\.count)
        let members = scope.members(distinct.map(\.failure.error))
        let cases = zip(distinct, members).map { entry, member in
            let (one, owners) = (entry.failure, actions[entry.declared, default: []])
            for action in owners { types.given.add(member, at: "\(type.name).actions.\(action).errors.\(one.error)") }
            var doc = [
                one.description.isEmpty ? "The failure `\(one.error)`." : one.description,
                one.isRetryable ? "The same call may succeed later." : "",
            ]
            var pattern = SwiftClientText.literal(one.error)
            if counts[one.error] != 1 {
                // The details alone may not show which failure it is.
                let list = owners.map(SwiftClientText.literal).joined(separator: ", ")
                pattern += " where [\(list)].contains(failure.action)"
                doc.append("The failure of \(owners.map { "`\($0)`" }.joined(separator: ", ")).")
            }
            let details = GeneratedPlace(
                path: "\(type.name).actions.\(owners.first ?? "").errors.\(one.error).details",
                hint: name + SwiftClientNames.type(one.error)
            )
            return WireCase(
                declaration: SwiftClientText.Case(
                    name: SwiftClientNames.code(member),
                    payload: one.details.map { types.type($0, details) },
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
            guard one.declaration.payload != nil else { return ["case \(one.pattern): self = .\(name)"] }
            let decoded = "\(decoding)().map { .\(name)($0) }"
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
