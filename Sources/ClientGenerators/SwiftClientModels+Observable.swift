import ViewModelContract

/// The model of a ViewModel type for a user interface: a class with a property for each output, list, field and action.
extension SwiftClientModels {
    mutating func observable(of type: ContractType, _ name: String, _ observable: String) -> Values {
        let fields = Set(type.inputs.filter(\.isField).map(\.name))
        let outputs = type.outputs.filter { $0.kind != .event && $0.action == nil && !fields.contains($0.name) }
        let groups = [
            ("outputs", outputs.map(\.name)), ("inputs", type.inputs.map(\.name)),
            ("actions", type.actions.map(\.name)),
        ]
        var scope = SwiftClientScope(reserved: SwiftClientNames.modelMembers)
        let paths = groups.flatMap { group, names in names.map { SwiftClientScope.path(type, group, $0, name) } }
        let members = zip(paths, scope.members(groups.flatMap(\.1))).map { path, member in
            types.given.add(member, at: path.text, "model")
            return (path: path, name: member)
        }
        var properties = zip(outputs, members).map { property(of: $0, $1) }
        var methods: [Values] = []
        for (input, member) in zip(type.inputs, members.dropFirst(outputs.count)) {
            let kind = input.isField ? "field" : "input"
            let doc = input.description.isEmpty ? "The \(kind) `\(input.name)`." : input.description
            if input.isField {
                let field = types.given.name(member.path.text, "field") ?? ""
                properties.append(
                    lazy(
                        member.name,
                        "ModelField(viewModel.\(SwiftClientNames.code(field))())",
                        SwiftClientText.doc(doc)
                    )
                )
            } else {
                let call = "self.post(\(SwiftClientText.literal(input.name))"
                methods.append(post(member, SwiftClientText.doc(doc), call, input.schema, member.path))
            }
        }
        for (action, member) in zip(type.actions, members.suffix(type.actions.count)) {
            let state = scope.add(SwiftClientNames.member(action.name) + "Action")
            types.given.add(state, at: member.path.text, "modelAction")
            let picture = types.given.name("\(type.name).actions.\(action.name)", "state")
            if let picture {
                let wire = SwiftClientText.literal(action.name)
                let making = "observedAction(\(wire), \\.\(SwiftClientNames.code(picture)))"
                properties.append(lazy(state, making, SwiftClientText.doc("The action `\(action.name)`.")))
                let doc = SwiftClientText.doc(
                    action.description.isEmpty ? "Runs the action `\(action.name)`." : action.description,
                    "It does not wait. ``\(state)`` has the state and the failure."
                )
                let path = SchemaPath(text: "\(member.path.text).params", hint: member.path.hint)
                methods.append(post(member, doc, "self.\(SwiftClientNames.code(state)).run(", action.parameters, path))
            }
        }
        let held = type.outputs.filter { !isList($0, of: type) }.map { SwiftClientText.literal($0.name) }
        let all = held.count == type.outputs.count ? [] : ["outputs: \(SwiftClientText.array(held))"]
        let initializer = SwiftClientText.list("super.init", ["\(name)(client, id: id)"] + all, depth: 2)
        return [
            "doc": SwiftClientText.doc("The live values of `\(name)`, for a user interface."), "name": name,
            "class": observable, "standard": type.instance.map { " = " + SwiftClientText.literal($0) } ?? "",
            "properties": properties, "methods": methods, "initializer": initializer,
        ]
    }

    private func isList(_ output: ContractType.Output, of type: ContractType) -> Bool {
        valueTypes["\(type.name).outputs.\(output.name)"]?.hasPrefix("ListRows<") == true
    }

    private func property(of output: ContractType.Output, _ member: Member) -> Values {
        let doc = SwiftClientText.doc(output.description.isEmpty ? "The output `\(output.name)`." : output.description)
        let value = valueTypes[member.path.text] ?? "JSONValue"
        if output.kind == .list, value.hasPrefix("ListRows<") {
            let making = "observedList(\(SwiftClientText.literal(output.name)))"
            return lazy(member.name, making, doc, type: ": RemoteRows<\(value.dropFirst("ListRows<".count))")
        }
        let picture = SwiftClientNames.code(types.given.name(member.path.text, "state") ?? "")
        let type = value.hasSuffix("?") ? value : value + "?"
        let property = SwiftClientNames.code(member.name)
        return ["doc": doc, "declaration": "var \(property): \(type) { observed(\\.\(picture)) }"]
    }

    private func lazy(_ name: String, _ making: String, _ doc: String, type: String = "") -> Values {
        ["doc": doc, "declaration": "private(set) lazy var \(SwiftClientNames.code(name))\(type) = \(making)"]
    }

    private mutating func post(
        _ member: Member,
        _ doc: String,
        _ call: String,
        _ schema: ContractSchema?,
        _ path: SchemaPath
    ) -> Values {
        let parameters = self.parameters(schema, path, reserved: ["params"])
        let signature = "public func \(SwiftClientNames.code(member.name))"
        let value = schema == nil ? "" : parameters.isValue ? "value" : "params"
        let separator = call.hasSuffix("(") || value.isEmpty ? "" : ", "
        return [
            "doc": doc, "signature": SwiftClientText.list(signature, parameters.declarations, " {", depth: 1),
            "params": value == "params" ? parameters.code : "", "call": "\(call)\(separator)\(value))",
        ]
    }
}
