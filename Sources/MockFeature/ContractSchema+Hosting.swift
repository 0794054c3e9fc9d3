import ViewModelContract
import ViewModelKit
import ViewModelProtocol

extension ContractSchema {
    /// Returns the schema for the host, which shows it as it stands in the contract.
    ///
    /// Beside the text, the host reads whether the values are objects, their members, and whether they have secrets.
    func schema(_ components: ContractComponents) -> Schema {
        var reader = SecretShape.Reader(components)
        let shape = reader.shape(of: self)
        guard components.isObject(self) else { return described(as: Self.content([shape])) }
        guard case .object(let properties, nil) = components.resolved(self).rule else {
            return described(as: .dictionary(Self.content([shape])))
        }
        let members = properties.map { property in
            let content = Self.content(shape.member(property.name) ?? [])
            return Schema.Property(property.name, property.schema.described(as: content), required: property.isRequired)
        }
        return described(as: .object(members))
    }

    /// Returns the schema as it stands in the contract, with the facts that the host reads.
    func described(as facts: Schema) -> Schema { .document(node.json.description, facts) }

    private static func content(_ shapes: [SecretShape]) -> Schema {
        shapes.contains(where: \.hasSecrets) ? .string(format: Schema.passwordFormat) : .any
    }
}
