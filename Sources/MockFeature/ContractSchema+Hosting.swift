import ViewModelContract
import ViewModelKit
import ViewModelProtocol

extension ContractSchema {
    /// Returns the schema for the host, which shows it as it stands in the contract.
    ///
    /// Beside the text, the host reads whether the values are objects, and whether there are secrets.
    func schema(_ components: ContractComponents) -> Schema {
        let content: Schema = components.hasSecrets(self) ? .string(format: Schema.passwordFormat) : .any
        return .document(node.json.description, components.isObject(self) ? .dictionary(content) : content)
    }
}
