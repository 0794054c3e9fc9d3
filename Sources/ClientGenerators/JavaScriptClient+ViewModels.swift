import ViewModelContract

extension JavaScriptClient {
    /// Writes the types and the class of a ViewModel.
    func writeViewModel(_ type: ContractType, to writer: inout JavaScriptWriter) {
        guard let name = names.classes[type.name] else { return }
        let events = type.outputs.filter { $0.kind == .event }
        let picture = type.outputs.filter { $0.kind != .event }
        writer.declaration(
            of: name.picture,
            .members(picture.map { member($0) }),
            description: "The picture of `\(name.type)`."
        )
        if !events.isEmpty {
            writer.declaration(
                of: name.events,
                .members(events.map { member($0) }),
                description: "The events of `\(name.type)`."
            )
        }
        let fields = type.inputs.filter { isTextField($0, of: type) }.map { JavaScriptText.quoted($0.name) }
        let arguments = [
            name.picture, events.isEmpty ? "{}" : name.events,
            fields.isEmpty ? "never" : fields.joined(separator: " | "),
        ]
        writer.line()
        writer.doc(type.description)
        writer.open("class \(name.type) extends ViewModel\(writer.generic("<\(arguments.joined(separator: ", "))>"))")
        writeContract(of: type, to: &writer)
        if type.instance != nil, !type.isBuiltIn { writeOpen(type, name.type, to: &writer) }
        for child in type.children { writeChild(child, of: type, to: &writer) }
        for input in type.inputs { writeInput(input, of: type, to: &writer) }
        for action in type.actions { writeAction(action, of: type, to: &writer) }
        writer.close()
    }

    /// Writes the class whose members are the default instances, and the function that connects.
    func writeClient(to writer: inout JavaScriptWriter) {
        let hash = JavaScriptText.quoted(contract.isComplete ? contract.hash : "")
        let daemon = JavaScriptText.quoted(contract.title.isEmpty ? "viewmodeld" : contract.title)
        writer.line()
        writer.doc(
            contract.isComplete
                ? "The hash of the contract that this client was generated from."
                : "The document of the contract does not name its hash, so that it is not compared with the daemon's."
        )
        writer.constant("contractHash", type: "string", hash, isExported: true, isSeparate: false)
        writer.line()
        writer.doc("A connection to the daemon, with the default instances of its ViewModels.")
        writer.open("class Client extends Connection")
        for type in contract.types {
            guard let instance = type.instance, let name = names.classes[type.name] else { continue }
            writer.member(
                "get \(JavaScriptText.key(names.accessors[type.name, default: type.name]))",
                returns: name.type,
                body: "return new \(name.type)(this, \(JavaScriptText.quoted(instance)));",
                description: type.description
            )
        }
        writer.close()
        writer.line()
        writer.doc(
            """
            Connects and attaches to a session. It tries for `timeout`, and the connection comes back after a loss.

            Node: `await connect({ session: "desk" })`. Browsers, through `viewmodel-gateway`:
            `await connect({ url: "wss://host/ws", session: "desk" })`.
            """
        )
        writer.function(
            "connect",
            [.init("options", "ConnectOptions", fallback: "{}")],
            returns: "Promise<Client>",
            body: "return new Client({ daemon: \(daemon), ...options }, contractHash).start();"
        )
    }

    private func member(_ output: ContractType.Output) -> JavaScriptMember {
        JavaScriptMember(
            name: output.name,
            type: values.typeText(of: output.schema),
            description: output.description.isEmpty ? actionOutputDescription(output) : output.description
        )
    }

    private func actionOutputDescription(_ output: ContractType.Output) -> String {
        guard let action = output.action else { return "" }
        return switch output.name.dropFirst(action.count + 1) {
        case "enabled": "Whether `\(action)` may be called."
        case "executing": "Whether `\(action)` executes."
        case "progress": "The progress of `\(action)` from 0 to 1, or null."
        default: ""
        }
    }

    private func isTextField(_ input: ContractType.Input, of type: ContractType) -> Bool {
        guard input.isField, let schema = input.schema else { return false }
        return values.typeText(of: schema) == "string" || values.typeText(of: schema) == "string | null"
    }

    /// Writes what the runtime has to know: conversions and the classes of failures.
    private func writeContract(of type: ContractType, to writer: inout JavaScriptWriter) {
        var parts: [(String, [(String, String)])] = []
        let outputs = type.outputs.compactMap { output in values.shape(of: output.schema).map { (output.name, $0) } }
        let results = type.actions.compactMap { action in
            action.result.flatMap { values.shape(of: $0) }.map { (action.name, $0) }
        }
        let errors = type.actions.filter { !$0.failures.isEmpty }.map { action in
            let classes = action.failures.map { failure in
                (failure.error, names.failureClass(of: failure, in: type.name))
            }
            return (action.name, JavaScriptText.object(classes))
        }
        if !outputs.isEmpty { parts.append(("outputs", outputs)) }
        if !results.isEmpty { parts.append(("results", results)) }
        if !errors.isEmpty { parts.append(("errors", errors)) }
        guard !parts.isEmpty else { return }
        let lines = parts.map { part in
            let members = part.1.map { "\t\t\t\(JavaScriptText.literalKey($0.0)): \($0.1),\n" }.joined()
            return "\t\t\(part.0): {\n\(members)\t\t},\n"
        }
        let text = "{\n\(lines.joined())\t};"
        writer.internalField("static override readonly contract: TypeContract = \(text)", "static contract = \(text)")
    }

    private func writeOpen(_ type: ContractType, _ name: String, to writer: inout JavaScriptWriter) {
        var parameters: [JavaScriptParameter] = [.init("client", "Connection")]
        if let arguments = type.arguments {
            parameters.append(.init("values", values.typeText(of: arguments), isOptional: values.isOptional(arguments)))
        }
        parameters.append(.init("id", "string", isOptional: true))
        writer.member(
            "static async open",
            parameters,
            returns: "Promise<\(name)>",
            body: "return new \(name)(client, await client.openInstance(\(JavaScriptText.quoted(type.name)), "
                + "\(type.arguments == nil ? "undefined" : "values"), id));",
            description: "Opens an instance. Without an `id` it gets one of its own."
        )
    }

    private func writeChild(_ child: ContractType.Child, of type: ContractType, to writer: inout JavaScriptWriter) {
        guard let name = names.classes[child.type] else { return }
        writer.member(
            "get \(names.member(child.name, of: type.name))",
            returns: name.type,
            body: "return new \(name.type)(this.connection, `${this.id}.\(child.name)`);",
            description: contract.type(child.type)?.description ?? ""
        )
    }

    private func writeInput(_ input: ContractType.Input, of type: ContractType, to writer: inout JavaScriptWriter) {
        let (parameters, argument) = self.parameters(input.schema)
        writer.member(
            names.member(input.name, of: type.name),
            parameters + [.init("options", "CallOptions", isOptional: true)],
            returns: "Promise<Step>",
            body: "return this.$input(\(JavaScriptText.quoted(input.name)), \(argument ?? "{}"), options);",
            description: Self.lines([input.description] + parameterDocs(input.schema))
        )
    }

    private func writeAction(_ action: ContractType.Action, of type: ContractType, to writer: inout JavaScriptWriter) {
        let (parameters, argument) = self.parameters(action.parameters)
        var description = [action.description]
        description += parameterDocs(action.parameters)
        for failure in action.failures {
            let name = names.failureClass(of: failure, in: type.name)
            description.append("@throws {\(name)} \(failure.description)")
        }
        let result = action.result.map { values.typeText(of: $0) } ?? "null"
        writer.member(
            names.member(action.name, of: type.name),
            parameters + [.init("options", "CallOptions", isOptional: true)],
            returns: "Promise<\(result)>",
            body: "return this.$action(\(JavaScriptText.quoted(action.name)), \(argument ?? "undefined"), options);",
            description: Self.lines(description)
        )
    }

    private static func lines(_ lines: [String]) -> String { lines.filter { !$0.isEmpty }.joined(separator: "\n") }

    /// Returns the documentation of params that are not a named type, which documents itself.
    private func parameterDocs(_ schema: ContractSchema?) -> [String] {
        guard let schema, values.components.isObject(schema) else {
            return schema.map { $0.description.isEmpty ? [] : ["@param value \($0.description)"] } ?? []
        }
        guard case .object(let properties, _) = schema.rule else { return [] }
        return properties.filter { !$0.schema.description.isEmpty }
            .map { "@param params.\($0.name) \($0.schema.description)" }
    }

    /// Returns the parameters of a method whose params have a schema, and the argument that has them by name.
    private func parameters(_ schema: ContractSchema?) -> ([JavaScriptParameter], String?) {
        guard let schema else { return ([], nil) }
        let type = values.typeText(of: schema)
        guard values.components.isObject(schema) else { return ([.init("value", type)], "{ value }") }
        let isOptional = values.isOptional(schema)
        return ([.init("params", type, isOptional: isOptional)], isOptional ? "params ?? {}" : "params")
    }
}
