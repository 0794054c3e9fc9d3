import ViewModelContract
import ViewModelKit
import ViewModelProtocol

extension ContractSchema {
    /// Returns the schema for the host, which shows it as it stands in the contract.
    ///
    /// Beside the text, the host reads whether the values are objects, whether the schema lists the members of one object,
    /// and whether there are secrets.
    func schema(_ components: ContractComponents) -> Schema {
        let content: Schema = components.hasSecrets(self) ? .string(format: Schema.passwordFormat) : .any
        guard components.isObject(self) else { return described(as: content) }
        guard case .object(_, nil) = components.resolved(self).rule else { return described(as: .dictionary(content)) }
        return described(as: .object([.init("", content)]))
    }

    /// Returns the schema as it stands in the contract, with the facts that the host reads.
    func described(as facts: Schema) -> Schema { .document(node.json.description, facts) }
}
