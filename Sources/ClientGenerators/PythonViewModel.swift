import ViewModelContract

struct PythonViewModel {
    typealias Values = GeneratedTemplate.Values

    let type: ContractType
    let names: PythonValues.TypeNames
    /// The events, with their classes.
    private let events: [(output: String, name: String)]
    private let outputs: [(declared: ContractType.Output, attribute: String, type: PythonType)]
    private let methods: [PythonMethod]
    private let children: [(declared: ContractType.Child, attribute: String)]
    /// The arguments of `viewModel.open`.
    let arguments: PythonMethod.Parameters

    init(_ type: ContractType, _ values: inout PythonValues) {
        self.type = type
        let own = values.names(of: type.name)
        names = own
        var pictureScope = PythonScope(reserved: PythonNames.picture)
        let attributes = pictureScope.members(type.outputs.map(\.name))
        func path(_ kind: String, _ member: String) -> SchemaPath {
            SchemaPath(
                text: "\(type.name).\(kind).\(member)",
                hint: own.viewModel + PythonNames.capitalised(member)
            )
        }
        var outputs: [(declared: ContractType.Output, attribute: String, type: PythonType)] = []
        var events: [(output: String, name: String)] = []
        for (output, attribute) in zip(type.outputs, attributes) {
            let path = path("outputs", output.name)
            var value: PythonType
            if output.kind == .list, case .array(let row, _, _) = values.components.resolved(output.schema).rule {
                value = values.type(row, at: path.appending("[]", "Row")).rows
            } else if output.kind == .event {
                let event = values.names.type(path.hint)
                values.given.add(event, at: path.text, "event")
                value = values.type(output.schema, at: path.appending("", "Value"))
                events.append((output.name, event))
                values.definitions.append(Self.event(event, output, value))
            } else {
                value = values.type(output.schema, at: path)
            }
            if output.kind != .event { values.given.add(attribute, at: path.text) }
            outputs.append((output, attribute, value))
        }
        self.outputs = outputs
        self.events = events
        let paths =
            type.inputs.map { path("inputs", $0.name) } + type.actions.map { path("actions", $0.name) }
            + type.children.map { path("children", $0.name) }
        let names = type.inputs.map(\.name) + type.actions.map(\.name) + type.children.map(\.name)
        var scope = PythonScope(reserved: PythonNames.viewModel)
        let members = Array(zip(paths, scope.members(names)))
        for (path, name) in members { values.given.add(name, at: path.text) }
        var methods: [PythonMethod] = []
        for (input, (path, name)) in zip(type.inputs, members) {
            methods.append(PythonMethod(input, name, path, &values))
        }
        for (action, (path, name)) in zip(type.actions, members.dropFirst(type.inputs.count)) {
            methods.append(PythonMethod(action, name, path, &values))
        }
        children = zip(type.children, members.suffix(type.children.count)).map { ($0, $1.1) }
        let shown = outputs.filter { $0.declared.kind == .state }
        let states = Dictionary(shown.map { ($0.declared.name, $0.type) }) { first, _ in first }
        for input in type.inputs where input.isField {
            guard let type = states[input.name] else { continue }
            let field = scope.member("\(input.name)Field")
            values.given.add(field, at: path("inputs", input.name).text, "field")
            let isObject = input.schema.map { values.components.isObject($0) } ?? false
            methods.append(PythonMethod(fieldOf: input.name, field, type, isObject: isObject))
        }
        self.methods = methods
        arguments = PythonMethod.parameters(
            type.arguments,
            SchemaPath(text: "\(type.name).arguments", hint: "\(own.viewModel)Arguments"),
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
    func asynchronous(_ values: PythonValues) -> [Values] {
        let shown = children.map { child, attribute -> Values in
            [
                "attribute": attribute, "type": values.names(of: child.type).viewModel, "wire": child.name,
                "doc": PythonText.docstring(values.descriptions[child.type] ?? "", indent: 8),
            ]
        }
        var model: Values = [
            "model": names.viewModel, "doc": doc, "methods": methods.map { $0.asynchronous() }, "children": shown,
        ]
        if !outputs.isEmpty { model["binding"] = [binding] }
        return outputs.isEmpty ? [model] : [picture, model]
    }

    private var picture: Values {
        let lists = type.outputs.filter { $0.kind == .list }.map { PythonText.literal($0.name) }
        let all = type.outputs.map { PythonText.literal($0.name) }
        let shown = outputs.filter { $0.declared.kind != .event }.map { output, attribute, type -> Values in
            let value = "self._read(\(PythonText.literal(output.name)), \(type.reader))"
            return [
                "attribute": attribute, "type": type.annotation, "reading": type.cast(value),
                "doc": PythonText.docstring(output.description, indent: 8),
            ]
        }
        return [
            "picture": names.picture, "name": names.viewModel, "outputs": shown,
            "outputNames": PythonText.list("\(names.output) = Literal[", all, "]", indent: 0),
            "listNames": lists.isEmpty ? "" : PythonText.list("\(names.list) = Literal[", lists, "]", indent: 0),
        ]
    }

    private var hasLists: Bool { type.outputs.contains { $0.kind == .list } }
    private var choice: [String] {
        ["self", "*outputs: \(names.output)"]
            + (hasLists ? ["windows: Mapping[\(names.list), range] | None = None"] : [])
    }

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
        let shown = children.map { child, attribute -> Values in
            [
                "attribute": attribute, "type": values.names(of: child.type).sync,
                "doc": PythonText.docstring(values.descriptions[child.type] ?? "", indent: 8),
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
