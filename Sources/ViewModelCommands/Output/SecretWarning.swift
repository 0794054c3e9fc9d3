import UnixIO
import ViewModelClient
import ViewModelContract

extension CommandContext {
    /// Warns of a password in params that were written on the command line, where other users can read it.
    ///
    /// Without a contract there is no warning.
    ///
    /// - Parameters:
    ///   - params: The params, without the values of files and of the standard input.
    ///   - schemas: Returns the schemas that the params may have.
    /// - Throws: The error of the standard error.
    func warnOfSecrets(in params: JSONValue, _ schemas: (Contract) async throws -> [ContractSchema?]) async throws {
        guard !isInScript, let contract = try? await contract(), let schemas = try? await schemas(contract) else {
            return
        }
        var reader = SecretShape.Reader(contract.components)
        let shapes = schemas.compactMap(\.self).map { reader.shape(of: $0) }
        guard let name = Self.secret(in: params, shapes) else { return }
        let text = "other users can see the password in the list of processes; write \(PlainText.of(name))=@-"
        try Descriptor.error.write(line: "viewmodelctl: warning: \(text) and type it")
    }

    /// Warns of a password in the params of an input or an action.
    func warnOfSecrets(in params: JSONValue, of path: MemberPath) async throws {
        try await warnOfSecrets(in: params) { _ in
            let type = try await type(of: path.instance)
            return [type?.input(path.member)?.schema, type?.action(path.member)?.parameters]
        }
    }

    /// Returns the name of a parameter that has a secret.
    private static func secret(in params: JSONValue, _ shapes: [SecretShape]) -> String? {
        func isSecret(_ value: JSONValue, _ shapes: [SecretShape]) -> Bool {
            SecretShape.hidingSecrets(in: value, of: shapes) != value
        }
        if let elements = params.arrayValue { return elements.contains { isSecret($0, shapes) } ? "value" : nil }
        return params.objectValue?.first { name, value in
            let named = shapes.flatMap { $0.member(name) ?? [] }
            return name != "_meta" && isSecret(value, named.isEmpty && name == "value" ? shapes : named)
        }?.key
    }
}
