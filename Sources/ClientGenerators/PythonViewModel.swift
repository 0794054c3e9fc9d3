import ViewModelContract

/// The classes of a ViewModel type in a Python client.
struct PythonViewModel {
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
                values.define(Self.event(event, output, value))
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

    private static func event(_ name: String, _ output: ContractType.Output, _ value: PythonType) -> [String] {
        var lines = ["@dataclass(frozen=True)", "class \(name)(Event):"]
        lines += PythonText.docstring(output.description.isEmpty ? "An event." : output.description, indent: 4)
        let literal = PythonText.literal(output.name)
        lines += ["", "    output: Literal[\(literal)]", "", "    @property"]
        return lines + [
            "    def value(self) -> \(value.annotation):", "        return \(value.cast(value.read("self.raw")))",
        ]
    }

    // MARK: Asynchronous

    /// Returns the picture, the names of outputs, and the class.
    func asynchronous() -> [[String]] {
        var definitions: [[String]] = []
        if !outputs.isEmpty {
            definitions.append(picture)
            var literals = PythonText.list(
                "\(names.output) = Literal[",
                outputs.map { PythonText.literal($0.name) },
                "]",
                indent: 0
            )
            let lists = outputs.filter { $0.kind == .list }.map { PythonText.literal($0.name) }
            if !lists.isEmpty { literals += PythonText.list("\(names.list) = Literal[", lists, "]", indent: 0) }
            definitions.append(literals)
        }
        var lines = ["class \(names.viewModel)(ViewModel):"]
        lines += PythonText.docstring(type.description.isEmpty ? "A ViewModel." : type.description, indent: 4)
        for method in methods { lines += [""] + method.asynchronous(names) }
        for child in children {
            lines += ["", "    @property", "    def \(child.attribute)(self) -> \(child.type):"]
            lines += PythonText.docstring(child.description, indent: 8)
            lines.append("        return \(child.type)(self.client, f\"{self.id}.\(child.name)\")")
        }
        if !outputs.isEmpty { lines += binding }
        definitions.append(lines)
        return definitions
    }

    private var picture: [String] {
        var lines = ["class \(names.picture)(Picture):", "    \"\"\"The outputs of `\(names.viewModel)`.\"\"\""]
        for output in outputs where output.kind != .event {
            lines += [
                "", "    @functools.cached_property", "    def \(output.attribute)(self) -> \(output.type.annotation):",
            ]
            lines += PythonText.docstring(output.description, indent: 8)
            let value = "self._read(\(PythonText.literal(output.name)), \(output.type.reader))"
            lines.append("        return \(output.type.cast(value))")
        }
        return lines
    }

    private var bindingDescription: String {
        "Binds these outputs, or all of them\(hasLists ? ", of long lists the `windows`" : ""). Frames come at least "
            + "`interval` seconds apart."
    }

    private var hasLists: Bool { outputs.contains { $0.kind == .list } }
    private var windows: [String] { hasLists ? ["windows: Mapping[\(names.list), range] | None = None"] : [] }
    private var event: String { events.isEmpty ? "Event" : events.map(\.name).joined(separator: " | ") }

    private var binding: [String] {
        let choice = ["self", "*outputs: \(names.output)"] + windows
        let given = hasLists ? "windows" : "None"
        var lines =
            [""]
            + PythonText.signature(
                "async def bind",
                choice + ["interval: float = 0"],
                "Binding[\(names.picture), \(event)]",
                indent: 4
            )
        lines += PythonText.docstring(bindingDescription, indent: 8)
        let events = events.map { "\(PythonText.literal($0.output)): \($0.name)" }
        let table = "{\(events.joined(separator: ", "))}"
        lines += PythonText.list(
            "return await self._bind(",
            [names.picture, table, "self._choice(outputs, \(given))", "interval"],
            ")",
            indent: 8
        )
        lines += [""] + PythonText.signature("async def read", choice, names.picture, indent: 4)
        lines += PythonText.docstring("Reads these outputs, or all of them, once.", indent: 8)
        return lines + ["        return await self._read(\(names.picture), self._choice(outputs, \(given)))"]
    }

    // MARK: Synchronous

    /// Returns the class whose methods block.
    func synchronous(_ values: PythonValues) -> [String] {
        var lines = ["class \(names.sync)(Synchronous[\(names.viewModel)]):"]
        lines += PythonText.docstring(type.description.isEmpty ? "A ViewModel." : type.description, indent: 4)
        let fields = methods.filter(\.isField)
        let calls = methods.filter { !$0.isField }.flatMap { $0.synchronous(names.viewModel) }
        let read = outputs.isEmpty ? [] : ["    read = blocking(\(names.viewModel).read)"]
        if !(calls + read).isEmpty { lines += [""] + calls + read }
        for field in fields { lines += [""] + field.synchronous(names.viewModel) }
        for child in type.children.indices {
            let attribute = children[child].attribute
            let sync = values.names(of: type.children[child].type).sync
            lines += ["", "    @property", "    def \(attribute)(self) -> \(sync):"]
            lines += PythonText.docstring(children[child].description, indent: 8)
            lines.append("        return \(sync)(self.client, self.target.\(attribute))")
        }
        guard !outputs.isEmpty else { return lines }
        let choice = ["self", "*outputs: \(names.output)"] + windows
        let given = hasLists ? "windows=windows" : nil
        lines +=
            [""]
            + PythonText.signature(
                "def bind",
                choice + ["interval: float = 0"],
                "SyncBinding[\(names.picture), \(event)]",
                indent: 4
            )
        lines += PythonText.docstring(bindingDescription, indent: 8)
        let bound = (["*outputs"] + [given, "interval=interval"].compactMap(\.self)).joined(separator: ", ")
        lines.append("        work = self.target.bind(\(bound))")
        return lines + ["        return SyncBinding(self.client, self.client.wait_for(work))"]
    }
}
