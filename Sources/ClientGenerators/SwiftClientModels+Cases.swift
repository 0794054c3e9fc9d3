import ViewModelContract

/// The events and the failures of a ViewModel type in a generated Swift client: enums that are read from the wire.
extension SwiftClientModels {
    mutating func events(of type: ContractType, _ name: String, _ event: String) -> Values {
        var scope = SwiftClientScope(reserved: SwiftClientNames.optional.union(["unknown", "hash"]))
        let events = type.outputs.filter { $0.kind == .event }
        let cases = zip(events, scope.members(events.map(\.name))).map { output, member in
            let path = SwiftClientScope.path(type, "outputs", output.name, name)
            types.given.add(member, at: path.text, "event")
            let payload = contract.components.resolved(output.schema).isNull ? nil : types.type(output.schema, path)
            return Self.wireCase(
                member,
                payload,
                SwiftClientText.literal(output.name),
                decoded: "event.decoded",
                otherwise: "unknown(event)",
                SwiftClientText.doc(output.description.isEmpty ? "The event `\(output.name)`." : output.description)
            )
        }
        return ["doc": SwiftClientText.doc("What happens once in `\(name)`."), "name": event, "cases": cases]
    }

    /// Returns the failures: a case for each pair of a name and a type of details.
    mutating func failures(of type: ContractType, _ name: String, _ failure: String) -> Values {
        var scope = SwiftClientScope(reserved: SwiftClientNames.optional.union(["other", "hash"]))
        // The actions that declare a failure, by its name and its details.
        var actions: [FailureKey: [String]] = [:]
        var distinct: [(declared: FailureKey, failure: ContractType.Failure)] = []
        for action in type.actions {
            for failure in action.failures {
                let declared = FailureKey(failure)
                if actions[declared] == nil { distinct.append((declared, failure)) }
                actions[declared, default: []].append(action.name)
            }
        }
        let counts = Dictionary(grouping: distinct, by: \.failure.error).mapValues(\.count)
        let members = scope.members(distinct.map(\.failure.error))
        let cases = zip(distinct, members).map { entry, member in
            let (one, owners) = (entry.failure, actions[entry.declared, default: []])
            for action in owners { types.given.add(member, at: "\(type.name).actions.\(action).errors.\(one.error)") }
            var (pattern, note) = (SwiftClientText.literal(one.error), "")
            if counts[one.error] != 1 {
                // The details alone may not show which failure it is.
                let list = owners.map(SwiftClientText.literal).joined(separator: ", ")
                pattern += " where [\(list)].contains(failure.action)"
                note = "The failure of \(owners.map { "`\($0)`" }.joined(separator: ", "))."
            }
            let details = SchemaPath(
                text: "\(type.name).actions.\(owners.first ?? "").errors.\(one.error).details",
                hint: name + SwiftClientNames.type(one.error)
            )
            return Self.wireCase(
                member,
                one.details.map { types.type($0, details) },
                pattern,
                decoded: "failure.decodedDetails",
                otherwise: "other(failure)",
                SwiftClientText.doc(
                    one.description.isEmpty ? "The failure `\(one.error)`." : one.description,
                    one.isRetryable ? "The same call may succeed later." : "",
                    note
                )
            )
        }
        let doc = SwiftClientText.doc("The failures that the actions of `\(name)` declare.")
        return ["doc": doc, "name": failure, "cases": cases]
    }

    /// Returns a case, and the lines of the switch that read it from its form on the wire.
    private static func wireCase(
        _ member: String,
        _ payload: String?,
        _ pattern: String,
        decoded: String,
        otherwise: String,
        _ doc: String
    ) -> Values {
        let name = SwiftClientNames.code(member)
        let reading = "\(decoded)().map { .\(name)($0) } ?? .\(otherwise)"
        return [
            "doc": doc, "case": payload.map { "\(name)(\($0))" } ?? name,
            "pattern": "case \(pattern):" + (payload == nil ? " self = .\(name)" : "\n    self = \(reading)"),
        ]
    }
}
