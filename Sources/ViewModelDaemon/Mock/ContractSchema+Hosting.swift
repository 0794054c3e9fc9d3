import ViewModelContract
import ViewModelKit
import ViewModelProtocol

extension ContractSchema {
    /// Returns the schema for the host, which shows it as it stands in the contract.
    func schema(_ components: ContractComponents) -> Schema {
        schema(components, inside: [])
    }

    private func schema(_ components: ContractComponents, inside path: Set<String>) -> Schema {
        func members(_ properties: [Property]) -> [Schema.Property] {
            properties.map {
                .init($0.name, $0.schema.schema(components, inside: path), required: $0.isRequired)
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
            case .array(let element, _, _): .array(element.schema(components, inside: path))
            case .object(let properties, nil): .object(members(properties))
            case .object(let properties, let others?):
                // A secret may also be in a named member.
                properties.isEmpty
                    ? .dictionary(others.schema(components, inside: path))
                    : .anyOf([
                        .object(members(properties)),
                        .dictionary(others.schema(components, inside: path)),
                    ])
            case .anyOf(let alternatives): .anyOf(alternatives.map { $0.schema(components, inside: path) })
            case .reference(let name):
                if path.contains(name) {
                    .reference(name)
                } else {
                    .definition(name, components[name]?.schema(components, inside: path.union([name])) ?? .any)
                }
            }
        return .document(node.json.description, inner)
    }
}
