import ViewModelContract

extension SwiftClientModels {
    mutating func picture(of type: ContractType, _ name: String, _ picture: String) -> Values {
        var scope = SwiftClientScope(reserved: ["hash"])
        var actions: Set<String> = []
        let shown = type.outputs.filter { output in
            output.kind != .event && output.action.map { actions.insert($0).inserted } != false
        }
        let members = scope.members(shown.map { $0.action ?? $0.name })
        var fields: [(name: String, type: String)] = []
        let properties = zip(shown, members).map { output, member -> Values in
            let wire = output.action ?? output.name
            types.given.add(member, at: "\(type.name).\(output.action == nil ? "outputs" : "actions").\(wire)", "state")
            let reader = output.action != nil ? "action" : output.kind == .list ? "list" : "state"
            let property = SwiftClientNames.code(member)
            let value = output.action == nil ? value(of: output, in: type, name) : "ActionState"
            fields.append((property, value))
            valueTypes["\(type.name).outputs.\(output.name)"] = value
            let doc =
                output.action.map { "The state of the action `\($0)`." }
                ?? (output.description.isEmpty ? "The output `\(output.name)`." : output.description)
            return [
                "doc": SwiftClientText.doc(doc), "name": property, "type": value,
                "reading": "\(reader)(\(SwiftClientText.literal(wire))",
                "former": value.hasSuffix("?") ? "previous.map { $0.\(property) }" : "previous?.\(property)",
            ]
        }
        return [
            "doc": SwiftClientText.doc("What `\(name)` shows: the values of its outputs at one step."),
            "name": picture, "properties": properties, "initializer": SwiftClientText.initializer(fields),
        ]
    }

    private mutating func value(
        of output: ContractType.Output,
        in type: ContractType,
        _ name: String
    ) -> String {
        let path = SwiftClientScope.path(type, "outputs", output.name, name)
        if output.kind == .list, case .array(let row, _, _) = contract.components.resolved(output.schema).rule {
            return "ListRows<\(types.type(row, path.appending("[]", "Row")))>"
        }
        return types.type(output.schema, path)
    }

    mutating func windows(of type: ContractType, _ windows: String) -> Values {
        var scope = SwiftClientScope(reserved: ["byOutput", "hash"])
        let lists = type.outputs.filter { $0.kind == .list }.map(\.name)
        let members = scope.members(lists)
        for (list, member) in zip(lists, members) {
            types.given.add(member, at: "\(type.name).outputs.\(list)", "window")
        }
        let names = members.map(SwiftClientNames.code)
        let properties = zip(lists, names).map { list, name -> Values in
            [
                "doc": SwiftClientText.doc("The window of `\(list)`."), "name": name, "type": "Window?",
                "wire": SwiftClientText.literal(list),
            ]
        }
        return [
            "name": windows, "properties": properties,
            "initializer": SwiftClientText.initializer(names.map { ($0, "Window?") }, isFirstRequired: true),
        ]
    }
}
