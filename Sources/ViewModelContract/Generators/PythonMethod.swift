/// A method of a ViewModel in a Python client: an input, an action or a field.
struct PythonMethod {
    private enum Kind {
        case input, action(read: PythonType, errors: String)
        case field(output: String, attribute: String, read: PythonType)
    }

    /// The params of a method.
    struct Parameters {
        /// The declarations.
        var declarations: [String] = []
        /// The names, in the order of the declarations.
        var names: [String] = []
        /// The expression of the params, as lines that begin with a text and end with another one.
        var expression: @Sendable (_ opening: String, _ closing: String) -> [String] = {
            ["        \($0){}\($1)"]
        }
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
        _ owner: PythonValues.TypeNames,
        _ values: inout PythonValues
    ) {
        name = input.name
        self.attribute = attribute
        description = input.description
        parameters = Self.parameters(input.schema, owner.viewModel + PythonNames.capitalised(input.name), &values)
        kind = .input
        result = "None"
    }

    init(
        _ action: ContractType.Action,
        _ attribute: String,
        _ owner: PythonValues.TypeNames,
        _ values: inout PythonValues
    ) {
        name = action.name
        self.attribute = attribute
        let word = owner.viewModel + PythonNames.capitalised(action.name)
        parameters = Self.parameters(action.parameters, word, &values)
        var errors: [(error: String, name: String)] = []
        for failure in action.failures where !errors.contains(where: { $0.error == failure.error }) {
            errors.append((failure.error, values.exception(failure, of: word)))
        }
        let table = errors.map { "\(PythonText.literal($0.error)): \($0.name)" }.joined(separator: ", ")
        let type = action.result.map { values.type($0, named: "\(word)Result") } ?? PythonType.none
        kind = .action(read: type, errors: "{\(table)}")
        result = type.annotation
        let raises = errors.isEmpty ? "" : "\n\nRaises: " + errors.map(\.name).joined(separator: ", ")
        description = action.description + raises
    }

    init(fieldOf output: String, _ attribute: String, _ name: String, _ type: PythonType) {
        self.name = output
        self.attribute = name
        description = "Returns a text box for `\(output)`, and binds the instance."
        kind = .field(output: output, attribute: attribute, read: type)
        parameters = Parameters()
        result = "Field[\(type.annotation)]"
    }

    // MARK: Params

    /// Returns the params for a schema: the members of an object, or one value.
    static func parameters(
        _ schema: ContractSchema?,
        _ owner: String,
        _ values: inout PythonValues,
        reserved: Set<String> = PythonNames.parameters
    ) -> Parameters {
        guard let schema else { return Parameters() }
        if let properties = values.members(schema) {
            let members = values.members(properties, of: owner, reserved: reserved)
            let entries = members.map { (name: $0.name, value: $0.attribute, isRequired: $0.isRequired) }
            return Parameters(declarations: members.map(\.declaration), names: members.map(\.attribute)) {
                PythonValues.dictionary($0, entries, $1, indent: 8)
            }
        }
        let type = values.type(schema, named: owner)
        let isObject = values.isObject(schema)
        let value = !isObject ? "{\"value\": value}" : type.annotation.hasPrefix("dict[") ? "value" : "value.to_json()"
        return Parameters(declarations: ["value: \(type.annotation)"], names: ["value"]) {
            ["        \($0)\(value)\($1)"]
        }
    }

    private var options: [String] {
        switch kind {
        case .input: ["*", "key: str | None = None", "retry: bool = False"]
        case .action: ["*", "deadline: float | None = None", "key: str | None = None", "retry: bool = False"]
        case .field: ["*", "interval: float = 0"]
        }
    }

    // MARK: Methods

    func asynchronous(_ owner: PythonValues.TypeNames) -> [String] {
        var lines = signature("async def", result)
        lines += PythonText.docstring(description, indent: 8)
        let literal = PythonText.literal(name)
        switch kind {
        case .input:
            lines += parameters.expression("await self._input(\(literal), ", ", key, retry)")
        case .action(let read, let errors):
            let closing = ", \(read.reader), \(errors), deadline, key, retry)"
            let call = "await self._action(\(literal), "
            if read.annotation == "None" {
                lines += parameters.expression(call, closing)
            } else if read.isLoose {
                let cast = "return cast(\(PythonText.literal(read.annotation)), "
                lines += parameters.expression(cast + call, closing + ")")
            } else {
                lines += parameters.expression("return \(call)", closing)
            }
        case .field(let output, let attribute, let read):
            let bound = "await self.bind(\(PythonText.literal(attribute)), interval=interval)"
            lines.append("        return Field(self, \(bound), \(PythonText.literal(output)), \(read.reader))")
        }
        return lines
    }

    func synchronous() -> [String] {
        var lines: [String]
        var names = parameters.names
        switch kind {
        case .input: names += ["key=key", "retry=retry"]
        case .action: names += ["deadline=deadline", "key=key", "retry=retry"]
        case .field: names += ["interval=interval"]
        }
        let isField = if case .field = kind { true } else { false }
        lines = signature("def", isField ? "Sync\(result)" : result)
        lines += PythonText.docstring(description, indent: 8)
        let call = "self.target.\(attribute)("
        if isField {
            let work = "self.client.wait_for(\(call)\(names.joined(separator: ", "))))"
            return lines + ["        return SyncField(self.client, \(work))"]
        }
        let opening = result == "None" ? "self.client.wait_for(" : "return self.client.wait_for("
        return lines + PythonText.list(opening + call, names, "))", indent: 8)
    }

    private func signature(_ opening: String, _ result: String) -> [String] {
        PythonText.signature("\(opening) \(attribute)", ["self"] + parameters.declarations + options, result, indent: 4)
    }
}
