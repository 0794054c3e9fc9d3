import ViewModelContract
import ViewModelKit
import ViewModelProtocol

extension ContractSchema {
    /// Returns the schema for the host, which shows it as it stands in the contract.
    ///
    /// Each component is described once. It is a reference where it occurs again.
    func schema(_ components: ContractComponents) -> Schema {
        var described = Described()
        guard case .anyOf = components.resolved(self).rule else { return schema(components, &described) }
        // The host reads what the alternatives are, so that each is described here and not inside of another one.
        let alternatives = components.alternatives(of: self)
        described.names = Set(alternatives.compactMap(\.reference))
        let schemas = alternatives.map { alternative in
            alternative.reference.map { Self.definition($0, components, &described) }
                ?? alternative.schema(components, &described)
        }
        return .document(node.json.description, .anyOf(schemas))
    }

    /// Returns the schema of a component for the host, in which each component is a reference.
    func definition(_ components: ContractComponents) -> Schema {
        var described = Described(names: Set(components.names))
        return schema(components, &described)
    }

    /// The components that have been described in a schema.
    private struct Described {
        var names: Set<String> = []
        /// The number of components in each other.
        var depth = 0
        /// The largest depth, beyond which components are references only.
        static let deepest = 64
    }

    /// The name of the component to which the schema refers, or nil.
    private var reference: String? { if case .reference(let name) = rule { name } else { nil } }

    private static func definition(
        _ name: String,
        _ components: ContractComponents,
        _ described: inout Described
    ) -> Schema {
        described.depth += 1
        defer { described.depth -= 1 }
        return .definition(name, components[name]?.schema(components, &described) ?? .any)
    }

    private func schema(_ components: ContractComponents, _ described: inout Described) -> Schema {
        func members(_ properties: [Property]) -> [Schema.Property] {
            properties.map {
                .init($0.name, $0.schema.schema(components, &described), required: $0.isRequired)
            }
        }
        let inner: Schema =
            switch rule {
            case .any: .any
            case .null: .null
            case .boolean: .boolean
            case .integer: .integer()
            case .number: .number
            case .string(let rule): .string(format: format, contentEncoding: rule.contentEncoding)
            case .choice(let values):
                values.allSatisfy({ $0.value.stringValue != nil })
                    ? .enumeration(values.compactMap(\.value.stringValue)) : .any
            case .array(let element, _, _): .array(element.schema(components, &described))
            case .object(let properties, nil): .object(members(properties))
            case .object(let properties, let others?):
                // A secret may also be in a named member.
                properties.isEmpty
                    ? .dictionary(others.schema(components, &described))
                    : .anyOf([
                        .object(members(properties)),
                        .dictionary(others.schema(components, &described)),
                    ])
            case .anyOf(let alternatives): .anyOf(alternatives.map { $0.schema(components, &described) })
            case .reference(let name):
                described.depth < Described.deepest && described.names.insert(name).inserted
                    ? Self.definition(name, components, &described) : .reference(name)
            }
        return .document(node.json.description, inner)
    }
}
