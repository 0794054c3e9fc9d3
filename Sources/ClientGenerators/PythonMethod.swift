import ViewModelContract

/// A method of a ViewModel in a Python client: an input, an action or a field.
struct PythonMethod {
    private enum Kind {
        case input, action(read: PythonType, errors: [String])
        case field(output: String, read: PythonType, isObject: Bool)
    }

    struct Parameters {
        var declarations: [String] = []
        /// Whether they are given by name only, because they are the members of an object.
        var areNamed = false
        /// The names, in the order of the declarations.
        var names: [String] = []
        /// What the author says about them, as a section of a docstring.
        var description = ""
        /// The expression of the params: its lines for an indentation.
        var expression: @Sendable (_ indent: Int) -> String = { _ in "{}" }
    }

    let name: String
    let attribute: String
    private let description: String
    private let kind: Kind
    private let parameters: Parameters
    private let result: String

    init(
        _ input: ContractType.Input,
        _ attribute: String,
        _ path: SchemaPath,
        _ values: inout PythonValues
    ) {
        name = input.name
        self.attribute = attribute
        parameters = Self.parameters(input.schema, path, &values)
        description = input.description + parameters.description
        kind = .input
        result = "None"
    }

    init(
        _ action: ContractType.Action,
        _ attribute: String,
        _ path: SchemaPath,
        _ values: inout PythonValues
    ) {
        name = action.name
        self.attribute = attribute
        let params = SchemaPath(text: "\(path.text).params", hint: path.hint)
        parameters = Self.parameters(action.parameters, params, &values)
        var errors: [(error: String, name: String)] = []
        for failure in action.failures where !errors.contains(where: { $0.error == failure.error }) {
            errors.append((failure.error, values.exception(failure, of: path)))
        }
        let table = errors.map { "\(PythonText.literal($0.error)): \($0.name)" }
        let type = action.result.map { values.type($0, at: path.appending(".result", "Result")) } ?? PythonType.none
        kind = .action(read: type, errors: table)
        result = type.annotation
        let raises = errors.isEmpty ? "" : "\n\nRaises: " + errors.map(\.name).joined(separator: ", ")
        description = action.description + parameters.description + raises
    }

    init(fieldOf output: String, _ name: String, _ type: PythonType, isObject: Bool) {
        self.name = output
        self.attribute = name
        description = "Returns a text box for `\(output)`, and binds the instance."
        kind = .field(output: output, read: type, isObject: isObject)
        parameters = Parameters()
        result = "Field[\(type.annotation)]"
    }

    // MARK: Params

    /// Returns the params for a schema: the members of an object, or one value.
    static func parameters(
        _ schema: ContractSchema?,
        _ path: SchemaPath,
        _ values: inout PythonValues,
        reserved: Set<String> = PythonNames.parameters
    ) -> Parameters {
        guard let schema else { return Parameters() }
        if let properties = values.members(schema) {
            let members = values.members(properties, of: path, reserved: reserved)
            let entries = members.map { (name: $0.name, value: $0.attribute, isRequired: $0.isRequired) }
            let described = members.filter { !$0.description.isEmpty }.map { member in
                "\n    \(member.attribute): \(member.description.replacing("\n", with: "\n    "))"
            }
            return Parameters(
                declarations: members.map(\.declaration),
                areNamed: !members.isEmpty,
                names: members.map(\.attribute),
                description: described.isEmpty ? "" : "\n\nArgs:" + described.joined()
            ) {
                PythonValues.dictionary("", entries, "", indent: $0)
            }
        }
        let type = values.type(schema, at: path)
        let value =
            if !values.components.isObject(schema) {
                "{\"value\": value}"
            } else if !type.annotation.contains("dict[") {
                "value.to_json()"
            } else if values.components.alternatives(of: schema).count == 1 {
                "value"
            } else {
                "value if isinstance(value, dict) else value.to_json()"
            }
        return Parameters(declarations: ["value: \(type.annotation)"], names: ["value"]) { _ in value }
    }

    /// Whether the method returns a text box.
    var isField: Bool { if case .field = kind { true } else { false } }

    private var options: [String] {
        switch kind {
        case .input: ["key: str | None = None", "retry: bool = False"]
        case .action: ["deadline: float | None = None", "key: str | None = None", "retry: bool = False"]
        case .field: ["interval: float = 0"]
        }
    }

    // MARK: Methods

    func asynchronous() -> GeneratedTemplate.Values { shown("async def", result, body) }

    private var body: String {
        func argument(_ text: String) -> (Int) -> String { { _ in text } }
        let start = [argument(PythonText.literal(name)), parameters.expression]
        switch kind {
        case .input:
            let end = ["{}", "key=key", "retry=retry", "time_limit=self.client.time_limit"].map(argument)
            return PythonText.call("await self._call(", start + end, ")", indent: 8)
        case .action(let read, let errors):
            let table = { PythonText.list("{", errors, "}", indent: $0) }
            let arguments = start + [table] + ["deadline=deadline", "key=key", "retry=retry"].map(argument)
            let (opening, closing) =
                if read.annotation == "None" {
                    ("", "")
                } else if read.isLoose {
                    ("return cast(\(PythonText.literal(read.annotation)), \(read.reader)(", "))")
                } else {
                    ("return \(read.reader)(", ")")
                }
            return PythonText.call(opening + "await self._call(", arguments, ")" + closing, indent: 8)
        case .field(let output, let read, let isObject):
            let bound = "await self.bind(\(PythonText.literal(output)), interval=interval)"
            let kind = isObject ? ", is_object=True" : ""
            return "return (\(bound)).field(\(PythonText.literal(output)), \(read.reader)\(kind))"
        }
    }

    func synchronous(_ owner: String) -> String? { isField ? nil : "\(attribute) = blocking(\(owner).\(attribute))" }

    func synchronousField() -> GeneratedTemplate.Values {
        let work = "self.client.wait_for(self.target.\(attribute)(interval=interval))"
        return shown("def", "Sync\(result)", "return SyncField(self.client, \(work))")
    }

    private func shown(_ opening: String, _ result: String, _ body: String) -> GeneratedTemplate.Values {
        let declarations = parameters.areNamed ? ["*"] + parameters.declarations : parameters.declarations + ["*"]
        let all = ["self"] + declarations + options
        return [
            "signature": PythonText.signature("\(opening) \(attribute)", all, result, indent: 4),
            "doc": PythonText.docstring(description, indent: 8), "body": body,
        ]
    }
}
