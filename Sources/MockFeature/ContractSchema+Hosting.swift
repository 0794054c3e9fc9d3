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
        let described: Schema =
            if !components.isObject(self) {
                content
            } else if case .object(_, nil) = components.resolved(self).rule {
                .object([.init("", content)])
            } else {
                .dictionary(content)
            }
        return .document(node.json.description, described)
    }
}
