import UnixIO
import ViewModelClient
import ViewModelContract

extension CommandContext {
    /// Warns of a password in params that were written on the command line, where other users can read it.
    ///
    /// Without a contract there is no warning.
    /// The values of files and of the standard input are no part of the params. `verb` takes a value from a terminal or
    /// a pipe, if it is another one.
    func warnOfSecrets(
        in params: JSONValue,
        use verb: String? = nil,
        of instance: String? = nil,
        _ schemas: (Contract) async throws -> [ContractSchema?]
    ) async throws {
        guard !isInScript, let contract = try? await contract(of: instance), let schemas = try? await schemas(contract)
        else { return }
        guard let name = Self.secret(in: params, SecretShape(anyOf: schemas, in: contract.components)) else { return }
        let verb = verb.map { " with the verb \($0)" } ?? ""
        try warnOfSecret(remedy: "write \(PlainText.of(name))=@-\(verb) and type it")
    }

    /// Warns of a password in the params of an input or an action.
    func warnOfSecrets(in params: JSONValue, of path: MemberPath, use verb: String? = nil) async throws {
        try await warnOfSecrets(in: params, use: verb, of: path.instance) { _ in
            let type = try await type(of: path.instance)
            return [type?.input(path.member)?.schema, type?.action(path.member)?.parameters]
        }
    }

    func warnOfSecret(
        in condition: Condition,
        _ schema: ContractSchema,
        _ components: ContractComponents
    ) throws {
        guard !isInScript, let text = condition.expected else { return }
        let value = JSONValue.string(text)
        let shape = SecretShape(anyOf: [schema], in: components)
        let shown = shape.hidingSecrets(in: value, at: condition.pointer.tokens)
        if shown != value { try warnOfSecret(remedy: "wait for a change: \(condition.path) --change") }
    }

    private func warnOfSecret(remedy: String) throws {
        let text = "other users can see the password in the list of processes; \(remedy)"
        try Descriptor.error.write(line: "viewmodelctl: warning: \(text)")
    }

    private static func secret(in params: JSONValue, _ shape: SecretShape) -> String? {
        func isSecret(_ value: JSONValue, _ shape: SecretShape) -> Bool { shape.hidingSecrets(in: value) != value }
        if let elements = params.arrayValue { return elements.contains { isSecret($0, shape) } ? "value" : nil }
        return params.objectValue?.first { name, value in
            let named = shape.named(name)
            return name != "_meta" && isSecret(value, named.isUnknown && name == "value" ? shape : named)
        }?.key
    }
}
