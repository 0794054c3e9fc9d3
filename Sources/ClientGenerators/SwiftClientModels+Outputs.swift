import ViewModelContract

/// The pictures and the windows of a ViewModel type in a generated Swift client.
extension SwiftClientModels {
    mutating func declarePicture(_ type: ContractType, _ name: String, _ picture: String) {
        var scope = SwiftClientScope(reserved: ["hash"])
        var properties: [SwiftClientText.Property] = []
        /// The calls that read the properties, up to the former value.
        var readings: [String] = []
        var actions: Set<String> = []
        let shown = type.outputs.filter { output in
            output.kind != .event && output.action.map { actions.insert($0).inserted } != false
        }
        let members = scope.members(shown.map { $0.action ?? $0.name })
        for (output, member) in zip(shown, members) {
            let wire = output.action ?? output.name
            types.given.add(member, at: "\(type.name).\(output.action == nil ? "outputs" : "actions").\(wire)", "state")
            let property = SwiftClientText.Property(
                name: SwiftClientNames.code(member),
                type: output.action == nil ? value(of: output, in: type, name) : "ActionState",
                doc: output.action.map { "The state of the action `\($0)`." }
                    ?? (output.description.isEmpty ? "The output `\(output.name)`." : output.description)
            )
            let reader = output.action != nil ? "action" : output.kind == .list ? "list" : "state"
            properties.append(property)
            readings.append("\(reader)(\(SwiftClientText.literal(wire))")
        }
        var text = SwiftClientText()
        text.doc("What `\(name)` shows: the values of its outputs at one step.")
        text.block("public struct \(picture): RemotePicture") { text in
            text.properties(properties)
            text.gap()
            text.doc("Reads the values of a picture.")
            text.block("public init(reading values: PictureReader, after previous: \(picture)?) throws") { text in
                for (property, reading) in zip(properties, readings) {
                    let isOptional = property.type.hasSuffix("?")
                    let former = isOptional ? "previous.map { $0.\(property.name) }" : "previous?.\(property.name)"
                    text.line("self.\(property.name) = try values.\(reading), \(former))")
                }
            }
            text.initializer("Creates values, for a preview or a test.", properties)
        }
        declarations.append(text)
    }

    private mutating func value(
        of output: ContractType.Output,
        in type: ContractType,
        _ name: String
    ) -> String {
        let place = GeneratedPlace(
            path: "\(type.name).outputs.\(output.name)",
            hint: name + SwiftClientNames.type(output.name)
        )
        if output.kind == .list, case .array(let row, _, _) = contract.components.resolved(output.schema).rule {
            return "ListRows<\(types.type(row, place.appending("[]", "Row")))>"
        }
        return types.type(output.schema, place)
    }

    mutating func declareWindows(_ type: ContractType, _ windows: String) {
        var scope = SwiftClientScope(reserved: ["byOutput", "hash"])
        let lists = type.outputs.filter { $0.kind == .list }.map(\.name)
        let properties = zip(lists, scope.members(lists)).map { list, member in
            types.given.add(member, at: "\(type.name).outputs.\(list)", "window")
            return SwiftClientText.Property(
                name: SwiftClientNames.code(member),
                type: "Window?",
                doc: "The window of `\(list)`."
            )
        }
        var text = SwiftClientText()
        text.doc("The rows of the lists to show; a list without a window has all rows.")
        text.block("public struct \(windows): RemoteWindows") { text in
            text.properties(properties)
            text.initializer("Creates no windows.", [])
            text.initializer("Creates windows.", properties, isFirstRequired: true)
            text.gap()
            text.doc("The windows by the names of their lists.")
            text.block("public var byOutput: [String: Window]") { text in
                text.line("var windows: [String: Window] = [:]")
                for (list, property) in zip(lists, properties) {
                    text.line("windows[\(SwiftClientText.literal(list))] = self.\(property.name)")
                }
                text.line("return windows")
            }
        }
        declarations.append(text)
    }
}
