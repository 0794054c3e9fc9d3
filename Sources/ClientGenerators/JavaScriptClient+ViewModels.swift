import ViewModelContract

extension JavaScriptClient {
    func model(_ type: ContractType) -> [Values] {
        guard let name = names.given.name(type.name), let picture = names.given.name(type.name, "picture") else {
            return []
        }
        let events = type.outputs.filter { $0.kind == .event }
        let eventsName = names.given.name(type.name, "events") ?? ""
        let fields = type.inputs.filter { isField($0) }.map { JavaScriptText.quoted($0.name) }
        let arguments = [
            picture, events.isEmpty ? "{}" : eventsName, fields.isEmpty ? "never" : fields.joined(separator: " | "),
        ]
        let states = type.outputs.filter { $0.kind != .event }
        let model: Values = [
            "doc": JavaScriptText.doc(type.description), "contract": conversions(of: type),
            "class": "class \(name) extends ViewModel\(generic("<\(arguments.joined(separator: ", "))>"))",
            "methods": opening(type, name) + type.children.compactMap { child($0, of: type) }
                + type.inputs.map { input($0, of: type) } + type.actions.map { action($0, of: type) },
        ]
        return [interface(picture, "The picture of `\(name)`.", states)]
            + (events.isEmpty ? [] : [interface(eventsName, "The events of `\(name)`.", events)]) + [model]
    }

    /// The members of `Client`: the default instances.
    var instances: [Values] {
        contract.types.compactMap { type in
            guard let instance = type.instance, let name = names.given.name(type.name) else { return nil }
            return method(
                "get \(JavaScriptText.key(names.given.name(type.name, "attribute") ?? type.name))",
                returns: name,
                body: "return new \(name)(this, \(JavaScriptText.quoted(instance)));",
                description: type.description
            )
        }
    }

    private func interface(_ name: String, _ description: String, _ outputs: [ContractType.Output]) -> Values {
        let members = outputs.map { output in
            JavaScriptValues.member(
                output.name,
                values.typeText(of: output.schema),
                output.description.isEmpty ? actionOutputDescription(output) : output.description
            )
        }
        return ["interface": name, "doc": JavaScriptText.doc(description), "members": members]
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

    // The params of an object are its members, and a field has one value.
    private func isField(_ input: ContractType.Input) -> Bool {
        input.isField && input.schema.map { !values.components.mayBeObject($0) } == true
    }

    /// Returns what the runtime has to know: conversions and the classes of failures.
    private func conversions(of type: ContractType) -> [Values] {
        let outputs = type.outputs.compactMap { output in values.shape(of: output.schema).map { (output.name, $0) } }
        let results = type.actions.compactMap { action in
            action.result.flatMap { values.shape(of: $0) }.map { (action.name, $0) }
        }
        let errors = type.actions.filter { !$0.failures.isEmpty }.map { action in
            let classes = action.failures.map { ($0.error, names.failureClass(of: $0, in: type.name)) }
            return (action.name, JavaScriptText.object(classes))
        }
        let tables = [("outputs", outputs), ("results", results), ("errors", errors)].filter { !$0.1.isEmpty }
        if tables.isEmpty { return [] }
        let shown = tables.map { name, entries -> Values in
            let entries = entries.map { ["name": JavaScriptText.literalKey($0), "value": $1] as Values }
            return ["table": name, "entries": entries]
        }
        return [["tables": shown]]
    }

    // MARK: Methods

    /// Returns a method or, with `get` in the head, a getter.
    private func method(
        _ head: String,
        _ parameters: [String] = [],
        returns type: String,
        body: String,
        description: String
    ) -> Values {
        [
            "doc": JavaScriptText.doc(description), "type": type, "body": body,
            "head": flavour == .declarations ? head.replacing("async ", with: "") : head,
            "parameters": parameters.joined(separator: ", "),
        ]
    }

    private func parameter(_ name: String, _ type: String, isOptional: Bool = false) -> String {
        name + generic("\(isOptional ? "?" : ""): \(type)")
    }

    private func opening(_ type: ContractType, _ name: String) -> [Values] {
        guard type.instance != nil, !type.isBuiltIn else { return [] }
        var parameters = [parameter("client", "Connection")]
        if let arguments = type.arguments {
            let isOptional = values.isOptional(arguments)
            parameters.append(parameter("values", values.typeText(of: arguments), isOptional: isOptional))
        }
        parameters.append(parameter("id", "string", isOptional: true))
        let opening = method(
            "static async open",
            parameters,
            returns: "Promise<\(name)>",
            body: "return new \(name)(client, await client.openInstance(\(JavaScriptText.quoted(type.name)), "
                + "\(type.arguments == nil ? "undefined" : "values"), id));",
            description: "Opens an instance. Without an `id` it gets one of its own."
        )
        return [opening]
    }

    private func child(_ child: ContractType.Child, of type: ContractType) -> Values? {
        guard let name = names.given.name(child.type) else { return nil }
        return method(
            "get \(names.member(child.name, "children", of: type.name))",
            returns: name,
            body: "return new \(name)(this.connection, `${this.id}.\(child.name)`);",
            description: contract.type(child.type)?.description ?? ""
        )
    }

    private func input(_ input: ContractType.Input, of type: ContractType) -> Values {
        let (parameters, argument) = self.parameters(input.schema)
        return method(
            names.member(input.name, "inputs", of: type.name),
            parameters,
            returns: "Promise<Step>",
            body: "return this.$input(\(JavaScriptText.quoted(input.name)), \(argument ?? "{}"), options);",
            description: Self.lines([input.description] + parameterDocs(input.schema))
        )
    }

    private func action(_ action: ContractType.Action, of type: ContractType) -> Values {
        let (parameters, argument) = self.parameters(action.parameters)
        let failures = action.failures.map {
            "@throws {\(names.failureClass(of: $0, in: type.name))} \($0.description)"
        }
        return method(
            names.member(action.name, "actions", of: type.name),
            parameters,
            returns: "Promise<\(action.result.map { values.typeText(of: $0) } ?? "null")>",
            body: "return this.$action(\(JavaScriptText.quoted(action.name)), \(argument ?? "undefined"), options);",
            description: Self.lines([action.description] + parameterDocs(action.parameters) + failures)
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

    private func parameters(_ schema: ContractSchema?) -> ([String], String?) {
        let options = parameter("options", "CallOptions", isOptional: true)
        guard let schema else { return ([options], nil) }
        let type = values.typeText(of: schema)
        guard values.components.isObject(schema) else { return ([parameter("value", type), options], "{ value }") }
        let isOptional = values.isOptional(schema)
        let params = parameter("params", type, isOptional: isOptional)
        return ([params, options], isOptional ? "params ?? {}" : "params")
    }
}
