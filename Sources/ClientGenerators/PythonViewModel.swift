import ViewModelContract

/// A ViewModel type in a Python client: its picture, its class, and its class whose methods block.
struct PythonViewModel {
    typealias Values = GeneratedTemplate.Values

    let type: ContractType
    let names: PythonValues.TypeNames
    /// The arguments of `viewModel.open`.
    private(set) var arguments = PythonParameters()
    /// The events, with their classes.
    private var events: [(output: String, name: String)] = []
    /// The outputs that are no events.
    private var outputs: [Values] = []
    /// The entries of `members`.
    private var members: [(wire: String, member: PythonMember)] = []
    private var methods: [Values] = []
    /// The methods that block: those of inputs and actions, and those that return a text box.
    private var calls: [String] = []
    private var fields: [Values] = []
    private var children: [(type: PythonValues.TypeNames, values: Values)] = []

    init(_ type: ContractType, _ values: inout PythonValues) {
        self.type = type
        names = PythonValues.TypeNames(of: type.name, in: values.given)
        addMembers(showing: addOutputs(&values), &values)
        let path = SchemaPath(text: "\(type.name).arguments", hint: "\(names.viewModel)Arguments")
        arguments = values.parameters(type.arguments, path, reserved: PythonNames.arguments)
    }

    /// Adds the outputs, and returns the types of the states.
    private mutating func addOutputs(_ values: inout PythonValues) -> [String: PythonType] {
        var scope = PythonScope(reserved: PythonNames.picture)
        var states: [String: PythonType] = [:]
        for (output, attribute) in zip(type.outputs, scope.members(type.outputs.map(\.name))) {
            let path = PythonScope.path(type, "outputs", output.name, names.viewModel)
            let wire = PythonText.literal(output.name)
            if output.kind == .event {
                let event = values.names.type(path.hint)
                values.given.add(event, at: path.text, "event")
                let value = values.type(output.schema, at: path.appending("", "Value"))
                events.append((output.name, event))
                members.append((output.name, PythonMember(kind: "event", name: attribute)))
                let doc = PythonText.docstring(output.description.isEmpty ? "An event." : output.description, indent: 4)
                values.definitions.append([
                    "event": event, "doc": doc, "wire": wire, "type": value.annotation,
                    "reading": value.cast(value.read("self.raw")),
                ])
                continue
            }
            let value: PythonType
            var row: [(name: String, attribute: String)]?
            if output.kind == .list, case .array(let element, _, _) = values.components.resolved(output.schema).rule {
                value = values.type(element, at: path.appending("[]", "Row")).rows
                row = values.rowMembers(of: element)
            } else {
                value = values.type(output.schema, at: path)
            }
            values.given.add(attribute, at: path.text)
            if output.kind == .state, states[output.name] == nil { states[output.name] = value }
            let member = PythonMember(
                kind: output.kind == .state ? "state" : "list",
                name: attribute,
                output: attribute,
                type: value.annotation,
                row: row
            )
            members.append((output.name, member))
            outputs.append([
                "attribute": attribute, "type": value.annotation,
                "reading": value.cast("self.\(row == nil ? "_read" : "_rows")(\(wire), \(value.reader))"),
                "doc": PythonText.docstring(output.description, indent: 8),
            ])
        }
        return states
    }

    /// Adds the inputs, the actions, the fields and the children.
    private mutating func addMembers(showing states: [String: PythonType], _ values: inout PythonValues) {
        // The names of children follow the others.
        let groups = type.memberNames.dropFirst() + type.memberNames.prefix(1)
        var scope = PythonScope(reserved: PythonNames.viewModel)
        let members = scope.members(of: type, as: names.viewModel, Array(groups), &values.given)
        for (input, (path, name)) in zip(type.inputs, members) {
            let parameters = values.parameters(input.schema, path)
            let isField = input.isField && states[input.name] != nil
            let isObject = isField && input.schema.map { values.components.isObject($0) } == true
            add(isField ? "field" : "input", input.name, name, parameters, isObject: isObject)
            add(name, input.name, parameters, input.description)
        }
        for (action, (path, name)) in zip(type.actions, members.dropFirst(type.inputs.count)) {
            let parameters = values.parameters(
                action.parameters,
                SchemaPath(text: "\(path.text).params", hint: path.hint)
            )
            var errors: [(error: String, name: String)] = []
            for failure in action.failures where !errors.contains(where: { $0.error == failure.error }) {
                errors.append((failure.error, values.exception(failure, of: path)))
            }
            let result = action.result.map { values.type($0, at: path.appending(".result", "Result")) }
            add("action", action.name, name, parameters)
            add(name, action.name, parameters, action.description, (result ?? .none, errors))
        }
        for (child, (_, name)) in zip(type.children, members.suffix(type.children.count)) {
            let doc = PythonText.docstring(values.contract.type(child.type)?.description ?? "", indent: 8)
            let names = PythonValues.TypeNames(of: child.type, in: values.given)
            children.append((names, ["attribute": name, "wire": child.name, "doc": doc]))
        }
        for (input, (path, _)) in zip(type.inputs, members) where input.isField {
            guard let type = states[input.name] else { continue }
            let name = scope.member("\(input.name)Field")
            values.given.add(name, at: path.text, "field")
            let isObject = input.schema.map { values.components.isObject($0) } ?? false
            addField(name, input.name, type, isObject: isObject)
        }
    }

    /// Adds an input or an action to the members, where it may have the name of an output.
    private mutating func add(
        _ kind: String,
        _ wire: String,
        _ name: String,
        _ parameters: PythonParameters,
        isObject: Bool = false
    ) {
        let value = parameters.areNamed ? "" : parameters.declarations.first?.dropFirst("value: ".count) ?? ""
        let shown = members.firstIndex { $0.wire == wire }.map { members.remove(at: $0).member }
        let member = PythonMember(
            kind: kind,
            name: name,
            output: shown?.output ?? "",
            type: shown?.type ?? String(value),
            parameters: parameters,
            row: shown?.row,
            isObject: isObject
        )
        members.append((wire, member))
    }

    /// Adds the methods of an input, or of an action with its result and its declared failures.
    private mutating func add(
        _ attribute: String,
        _ wire: String,
        _ parameters: PythonParameters,
        _ description: String,
        _ outcome: (result: PythonType, errors: [(error: String, name: String)])? = nil
    ) {
        let errors = outcome?.errors ?? []
        let table = errors.map { "\(PythonText.literal($0.error)): \($0.name)" }
        let raises = errors.isEmpty ? "" : "\n\nRaises: " + errors.map(\.name).joined(separator: ", ")
        let result = outcome?.result ?? .none
        let (opening, closing) =
            if result.annotation == "None" {
                ("", "")
            } else if result.isLoose {
                ("return cast(\(PythonText.literal(result.annotation)), \(result.reader)(", "))")
            } else {
                ("return \(result.reader)(", ")")
            }
        let deadline = outcome.map { _ in ["deadline"] } ?? []
        let given = (deadline + ["key", "retry"]).map { "\($0)=\($0)" }
        let options = given + (outcome == nil ? ["time_limit=self.client.time_limit"] : [])
        let name = PythonText.literal(wire)
        var arguments: [(Int) -> String] = [{ _ in name }, parameters.expression]
        arguments.append { PythonText.list("{", table, "}", indent: $0) }
        for option in options { arguments.append { _ in option } }
        let body = PythonText.call(opening + "await self._call(", arguments, ")" + closing, indent: 8)
        let declarations = parameters.areNamed ? ["*"] + parameters.declarations : parameters.declarations + ["*"]
        let declared =
            deadline.map { "\($0): float | None = None" } + ["key: str | None = None", "retry: bool = False"]
        let all = declarations + declared
        let text = description + parameters.description + raises
        methods.append(Self.method("async def \(attribute)", all, result.annotation, text, body))
        calls.append("\(attribute) = blocking(\(names.viewModel).\(attribute))")
    }

    private mutating func addField(_ name: String, _ output: String, _ type: PythonType, isObject: Bool) {
        let wire = PythonText.literal(output)
        let kind = isObject ? ", is_object=True" : ""
        let field = "(await self.bind(\(wire), interval=interval)).field(\(wire), \(type.reader)\(kind))"
        let work = "self.client.wait_for(self.target.\(name)(interval=interval))"
        let text = "Returns a text box for `\(output)`, and binds the instance."
        let parameters = ["*", "interval: float = 0"]
        let result = "Field[\(type.annotation)]"
        methods.append(Self.method("async def \(name)", parameters, result, text, "return \(field)"))
        fields.append(
            Self.method("def \(name)", parameters, "Sync\(result)", text, "return SyncField(self.client, \(work))")
        )
    }

    private static func method(
        _ opening: String,
        _ parameters: [String],
        _ result: String,
        _ description: String,
        _ body: String = ""
    ) -> Values {
        [
            "signature": PythonText.signature(opening, ["self"] + parameters, result, indent: 4),
            "doc": PythonText.docstring(description, indent: 8), "body": body,
        ]
    }

    // MARK: Classes

    private var doc: String {
        PythonText.docstring(type.description.isEmpty ? "A ViewModel." : type.description, indent: 4)
    }

    /// The picture with the names of outputs, and the class.
    var asynchronous: [Values] {
        let shown = children.map { $0.values.merging(["type": $0.type.viewModel]) { $1 } }
        let entries = members.map { wire, member -> Values in ["entry": member.entry(wire)] }
        var model: Values = [
            "model": names.viewModel, "doc": doc, "methods": methods, "children": shown, "members": entries,
            "tables": tables,
        ]
        if type.outputs.isEmpty { return [model] }
        model["binding"] = [binding]
        let lists = type.outputs.filter { $0.kind == .list }.map { PythonText.literal($0.name) }
        let all = type.outputs.map { PythonText.literal($0.name) }
        let picture: Values = [
            "picture": names.picture, "name": names.viewModel, "outputs": outputs,
            "outputNames": PythonText.list("\(names.output) = Literal[", all, "]", indent: 0),
            "listNames": lists.isEmpty ? "" : PythonText.list("\(names.list) = Literal[", lists, "]", indent: 0),
        ]
        return [picture, model]
    }

    /// The class whose methods block.
    var synchronous: Values {
        let read = type.outputs.isEmpty ? [] : ["read = blocking(\(names.viewModel).read)"]
        var sync: Values = [
            "sync": names.sync, "name": names.viewModel, "doc": doc, "calls": (calls + read).joined(separator: "\n"),
            "fields": fields, "children": children.map { $0.values.merging(["type": $0.type.sync]) { $1 } },
        ]
        if !type.outputs.isEmpty {
            var binding = bind("def bind", "SyncBinding")
            binding["arguments"] = "*outputs, \(hasLists ? "windows=windows, " : "")interval=interval"
            sync["binding"] = [binding]
        }
        return sync
    }

    /// The assignments of what the runtime reads.
    private var tables: String {
        let events = events.map { "\(PythonText.literal($0.output)): \($0.name)" }
        let names = children.compactMap { child -> String? in
            guard let wire = child.values["wire"] as? String, let attribute = child.values["attribute"] as? String
            else {
                return nil
            }
            return "\(PythonText.literal(wire)): \(PythonText.literal(attribute))"
        }
        return [
            outputs.isEmpty && events.isEmpty ? "" : "_picture = \(self.names.picture)",
            events.isEmpty ? "" : PythonText.list("_events = {", events, "}", indent: 4),
            names.isEmpty ? "" : PythonText.list("children = {", names, "}", indent: 4),
        ].filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private var hasLists: Bool { type.outputs.contains { $0.kind == .list } }
    private var choice: [String] {
        ["*outputs: \(names.output)"] + (hasLists ? ["windows: Mapping[\(names.list), range] | None = None"] : [])
    }

    private func bind(_ opening: String, _ binding: String, _ body: String = "") -> Values {
        let event = events.isEmpty ? "Event" : events.map(\.name).joined(separator: " | ")
        return Self.method(
            opening,
            choice + ["interval: float = 0"],
            "\(binding)[\(names.picture), \(event)]",
            "Binds these outputs, or all of them\(hasLists ? ", of long lists the `windows`" : ""). Frames come at least "
                + "`interval` seconds apart.",
            body
        )
    }

    private var binding: Values {
        let windows = hasLists ? "windows" : "None"
        let body = "return await self._bind(self._choice(outputs, \(windows)), interval)"
        var values = bind("async def bind", "Binding", body)
        values["reading"] = PythonText.signature("async def read", ["self"] + choice, names.picture, indent: 4)
        values["name"] = names.picture
        values["windows"] = windows
        return values
    }
}
