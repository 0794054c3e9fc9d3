import ViewModelContract

/// The parameters of a method in a Python client.
struct PythonParameters {
    var declarations: [String] = []
    /// Whether they are given by name only, because they are the members of an object.
    var areNamed = false
    /// The names, in the order of the declarations.
    var names: [String] = []
    /// The names in the contract.
    var members: [String] = []
    /// What the author says about them, as a section of a docstring.
    var description = ""
    /// The expression of the params: its lines for an indentation.
    var expression: (_ indent: Int) -> String = { _ in "{}" }
}

extension PythonValues {
    /// Returns the members of a row with their attributes.
    func rowMembers(of row: ContractSchema) -> [(name: String, attribute: String)] {
        guard case .object(let properties, _) = components.resolved(row).rule else { return [] }
        var scope = PythonScope(reserved: PythonNames.value)
        return zip(properties.map(\.name), scope.members(properties.map(\.name))).map { ($0, $1) }
    }

    /// Returns the parameters for a schema: the members of an object, or one value.
    mutating func parameters(
        _ schema: ContractSchema?,
        _ path: SchemaPath,
        reserved: Set<String> = PythonNames.parameters
    ) -> PythonParameters {
        guard let schema else { return PythonParameters() }
        if case .object(let properties, let others) = components.resolved(schema).rule,
            others == nil || !properties.isEmpty
        {
            let members = members(properties, of: path, reserved: reserved)
            let entries = members.map { (name: $0.name, value: $0.attribute, isRequired: $0.isRequired) }
            let described = members.filter { !$0.description.isEmpty }.map { member in
                "\n    \(member.attribute): \(member.description.replacing("\n", with: "\n    "))"
            }
            return PythonParameters(
                declarations: members.map(\.declaration),
                areNamed: !members.isEmpty,
                names: members.map(\.attribute),
                members: members.map(\.name),
                description: described.isEmpty ? "" : "\n\nArgs:" + described.joined()
            ) {
                Self.dictionary("", entries, indent: $0)
            }
        }
        let type = type(schema, at: path)
        let value =
            if !components.isObject(schema) {
                "{\"value\": value}"
            } else if !type.annotation.contains("dict[") {
                "value.to_json()"
            } else if components.alternatives(of: schema).count == 1 {
                "value"
            } else {
                "value if isinstance(value, dict) else value.to_json()"
            }
        return PythonParameters(declarations: ["value: \(type.annotation)"], names: ["value"]) { _ in value }
    }
}
