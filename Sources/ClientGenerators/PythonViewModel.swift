import ViewModelContract

/// The classes of a ViewModel type in a Python client.
struct PythonViewModel {
    typealias Values = GeneratedTemplate.Values

    let type: ContractType
    let names: PythonValues.TypeNames
    /// The events, with their classes.
    private let events: [(output: String, name: String)]
    private let outputs: [Output]
    private let methods: [PythonMethod]
    private let children: [Child]
    /// The arguments of `viewModel.open`.
    let arguments: PythonMethod.Parameters

    private struct Child {
        let name, attribute, type, description: String
    }

    private struct Output {
        let name, attribute, description: String
        let kind: ContractType.Output.Kind
        let type: PythonType
    }

    init(_ type: ContractType, _ values: inout PythonValues) {
        self.type = type
        let own = values.names(of: type.name)
        names = own
        let attributes = PythonNames.members(type.outputs.map(\.name), reserved: PythonNames.picture)
        func place(_ kind: String, _ member: String) -> GeneratedPlace {
            GeneratedPlace(
                path: "\(type.name).\(kind).\(member)",
                hint: own.viewModel + PythonNames.capitalised(member)
            )
        }
        var outputs: [Output] = []
        var events: [(output: String, name: String)] = []
        for (output, attribute) in zip(type.outputs, attributes) {
            let place = place("outputs", output.name)
            var value: PythonType
            if output.kind == .list, case .array(let row, _, _) = values.components.resolved(output.schema).rule {
                value = values.type(row, at: place.appending("[]", "Row")).rows
            } else if output.kind == .event {
                let event = values.names.type(place.hint)
                values.given.add(event, at: place.path, "event")
                value = values.type(output.schema, at: place.appending("", "Value"))
                events.append((output.name, event))
                values.definitions.append(Self.event(event, output, value))
            } else {
                value = values.type(output.schema, at: place)
            }
            if output.kind != .event { values.given.add(attribute, at: place.path) }
            outputs.append(
                Output(
                    name: output.name,
                    attribute: attribute,
                    description: output.description,
                    kind: output.kind,
                    type: value
                )
            )
        }
        self.outputs = outputs
        self.events = events
        let places =
            type.inputs.map { place("inputs", $0.name) } + type.actions.map { place("actions", $0.name) }
            + type.children.map { place("children", $0.name) }
        let names = type.inputs.map(\.name) + type.actions.map(\.name) + type.children.map(\.name)
        var scope = PythonNames(reserved: PythonNames.viewModel)
        let members = Array(zip(places, scope.members(names)))
        for (place, name) in members { values.given.add(name, at: place.path) }
        var methods: [PythonMethod] = []
        for (input, (place, name)) in zip(type.inputs, members) {
            methods.append(PythonMethod(input, name, place, &values))
        }
        for (action, (place, name)) in zip(type.actions, members.dropFirst(type.inputs.count)) {
            methods.append(PythonMethod(action, name, place, &values))
        }
        children = zip(type.children, members.suffix(type.children.count)).map { child, member in
            Child(
                name: child.name,
                attribute: member.1,
                type: values.names(of: child.type).viewModel,
                description: values.descriptions[child.type] ?? ""
            )
        }
        let states = Dictionary(outputs.filter { $0.kind == .state }.map { ($0.name, $0) }) { first, _ in first }
        for input in type.inputs where input.isField {
            guard let output = states[input.name] else { continue }
            let field = scope.member("\(input.name)Field")
            values.given.add(field, at: "\(type.name).inputs.\(input.name)", "field")
            let isObject = input.schema.map { values.components.isObject($0) } ?? false
            methods.append(PythonMethod(fieldOf: output.name, field, output.type, isObject: isObject))
        }
        self.methods = methods
        arguments = PythonMethod.parameters(
            type.arguments,
            GeneratedPlace(path: "\(type.name).arguments", hint: "\(own.viewModel)Arguments"),
            &values,
            reserved: PythonNames.arguments
        )
    }

    private static func event(_ name: String, _ output: ContractType.Output, _ value: PythonType) -> Values {
        let doc = PythonText.docstring(output.description.isEmpty ? "An event." : output.description, indent: 4)
        return [
            "event": name, "doc": doc, "wire": PythonText.literal(output.name), "type": value.annotation,
            "reading": value.cast(value.read("self.raw")),
        ]
    }

    private var doc: String {
        PythonText.docstring(type.description.isEmpty ? "A ViewModel." : type.description, indent: 4)
    }

    // MARK: Asynchronous

    /// Returns the picture with the names of outputs, and the class.
    func asynchronous() -> [Values] {
        let shown = children.map { child -> Values in
            [
                "attribute": child.attribute, "type": child.type, "wire": child.name,
                "doc": PythonText.docstring(child.description, indent: 8),
            ]
        }
        var model: Values = [
            "model": names.viewModel, "doc": doc, "methods": methods.map { $0.asynchronous() }, "children": shown,
        ]
        if !outputs.isEmpty { model["binding"] = [binding] }
        return outputs.isEmpty ? [model] : [picture, model]
    }

    private var picture: Values {
        let lists = outputs.filter { $0.kind == .list }.map { PythonText.literal($0.name) }
        let all = outputs.map { PythonText.literal($0.name) }
        let shown = outputs.filter { $0.kind != .event }.map { output -> Values in
            let value = "self._read(\(PythonText.literal(output.name)), \(output.type.reader))"
            return [
                "attribute": output.attribute, "type": output.type.annotation, "reading": output.type.cast(value),
                "doc": PythonText.docstring(output.description, indent: 8),
            ]
        }
        return [
            "picture": names.picture, "name": names.viewModel, "outputs": shown,
            "outputNames": PythonText.list("\(names.output) = Literal[", all, "]", indent: 0),
            "listNames": lists.isEmpty ? "" : PythonText.list("\(names.list) = Literal[", lists, "]", indent: 0),
        ]
    }

    private var hasLists: Bool { outputs.contains { $0.kind == .list } }
    private var choice: [String] {
        ["self", "*outputs: \(names.output)"]
            + (hasLists ? ["windows: Mapping[\(names.list), range] | None = None"] : [])
    }

    /// Returns the signature and the documentation of a method that binds outputs.
    private func bind(_ opening: String, _ binding: String) -> Values {
        let event = events.isEmpty ? "Event" : events.map(\.name).joined(separator: " | ")
        return [
            "signature": PythonText.signature(
                opening,
                choice + ["interval: float = 0"],
                "\(binding)[\(names.picture), \(event)]",
                indent: 4
            ),
            "doc": PythonText.docstring(
                "Binds these outputs, or all of them\(hasLists ? ", of long lists the `windows`" : ""). Frames come at least "
                    + "`interval` seconds apart.",
                indent: 8
            ),
        ]
    }

    private var binding: Values {
        let windows = hasLists ? "windows" : "None"
        let table = events.map { "\(PythonText.literal($0.output)): \($0.name)" }.joined(separator: ", ")
        var values = bind("async def bind", "Binding")
        values["body"] = PythonText.list(
            "return await self._bind(",
            [names.picture, "{\(table)}", "self._choice(outputs, \(windows))", "interval"],
            ")",
            indent: 8
        )
        values["reading"] = PythonText.signature("async def read", choice, names.picture, indent: 4)
        values["name"] = names.picture
        values["windows"] = windows
        return values
    }

    // MARK: Synchronous

    /// Returns the class whose methods block.
    func synchronous(_ values: PythonValues) -> Values {
        let calls =
            methods.compactMap { $0.synchronous(names.viewModel) }
            + (outputs.isEmpty ? [] : ["read = blocking(\(names.viewModel).read)"])
        let shown = zip(children, type.children).map { child, declared -> Values in
            [
                "attribute": child.attribute, "type": values.names(of: declared.type).sync,
                "doc": PythonText.docstring(child.description, indent: 8),
            ]
        }
        var sync: Values = [
            "sync": names.sync, "name": names.viewModel, "doc": doc, "calls": calls.joined(separator: "\n"),
            "fields": methods.filter(\.isField).map { $0.synchronousField() }, "children": shown,
        ]
        if !outputs.isEmpty {
            var binding = bind("def bind", "SyncBinding")
            binding["arguments"] = "*outputs, \(hasLists ? "windows=windows, " : "")interval=interval"
            sync["binding"] = [binding]
        }
        return sync
    }
}
