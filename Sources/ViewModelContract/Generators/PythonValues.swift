import JSONRPC

/// The types of values in a Python client: frozen dataclasses, literals, and the errors with details.
struct PythonValues {
    let components: ContractComponents
    /// The scope of the names of types.
    var names: PythonNames
    /// The definitions, each as lines.
    private(set) var definitions: [[String]] = []
    /// The classes and literals of the components.
    private var known: [String: PythonType] = [:]
    /// The components that are being read, of those that are neither a class nor a literal.
    private var open: Set<String> = []
    private var failures: [Failure] = []

    private struct Failure {
        let error: String
        let details: JSONValue?
        let name: String
    }

    /// Reads the components.
    ///
    /// - Parameters:
    ///   - contract: the contract.
    ///   - runtime: the text before the classes, whose names are reserved.
    init(_ contract: Contract, runtime: String) {
        components = contract.components
        let own: Set = ["Session", "SyncSession"]
        names = PythonNames(reserved: PythonNames.topLevel(of: runtime).union(PythonNames.builtins).union(own))
        // The types of ViewModels keep their names, so that a component of that name gets another one.
        for type in contract.types where typeNames[type.name] == nil {
            let name = names.type(type.name)
            typeNames[type.name] = TypeNames(
                viewModel: name,
                sync: names.type("Sync\(name)"),
                picture: names.type("\(name)Picture"),
                output: names.type("\(name)Output"),
                list: names.type("\(name)List")
            )
        }
        for name in components.names {
            guard let schema = components[name] else { continue }
            switch schema.rule {
            case .object(let properties, let others) where others == nil || !properties.isEmpty:
                let type = names.type(name)
                known[name] = PythonType(annotation: type, reader: "\(type).from_json")
            case .choice(let choices) where PythonType.choice(choices).isLoose:
                known[name] = PythonType(annotation: names.type(name), reader: "as_case", isLoose: true)
            default: break
            }
        }
        for name in components.names {
            guard let schema = components[name], let type = known[name] else { continue }
            switch schema.rule {
            case .object(let properties, _): define(type.annotation, properties, schema.description)
            case .choice(let choices): defineLiteral(type.annotation, choices, schema.description)
            default: break
            }
        }
    }

    /// The names of a ViewModel type and of what belongs to it.
    struct TypeNames {
        let viewModel, sync, picture, output, list: String
    }

    /// The names of the ViewModel types, by their names in the contract.
    private var typeNames: [String: TypeNames] = [:]

    /// Returns the names for a ViewModel type.
    func names(of type: String) -> TypeNames {
        typeNames[type] ?? TypeNames(viewModel: type, sync: type, picture: type, output: type, list: type)
    }

    // MARK: Types

    /// Returns the type of a schema, and defines the classes in it.
    ///
    /// - Parameters:
    ///   - schema: the schema.
    ///   - name: the name for a class, if the schema is an object.
    /// - Returns: the type.
    mutating func type(_ schema: ContractSchema, named name: String) -> PythonType {
        switch schema.rule {
        case .any: return .any
        case .null: return .none
        case .boolean: return PythonType(annotation: "bool", reader: "as_boolean")
        case .integer: return PythonType(annotation: "int", reader: "as_integer")
        case .number: return PythonType(annotation: "float", reader: "as_number")
        case .string(let rule): return .string(rule)
        case .choice(let choices): return .choice(choices)
        case .array(let element, _, _): return type(element, named: "\(name)Item").list
        case .object(let properties, let others?) where properties.isEmpty:
            return type(others, named: "\(name)Item").dictionary
        case .object(let properties, _):
            let type = names.type(name)
            define(type, properties, schema.description)
            return PythonType(annotation: type, reader: "\(type).from_json")
        case .anyOf(let alternatives):
            if let value = schema.unwrapped { return type(value, named: name).optional }
            return .union(alternatives.enumerated().map { type($1, named: $0 == 0 ? name : "\(name)\($0 + 1)") })
        case .reference(let component):
            if let type = known[component] { return type }
            // Python 3.9 has no type for a value that contains itself, unless it is a class.
            guard let schema = components[component], open.insert(component).inserted else { return .any }
            defer { open.remove(component) }
            let type = type(schema, named: component)
            known[component] = type
            return type
        }
    }

    /// Returns the members of the params if each value of the schema is one object, else nil.
    func members(_ schema: ContractSchema) -> [ContractSchema.Property]? {
        guard case .object(let properties, let others) = components.resolved(schema).rule else { return nil }
        return others == nil || !properties.isEmpty ? properties : nil
    }

    /// Whether each value of a schema is an object, whose members are the params (protocol, section 6).
    func isObject(_ schema: ContractSchema) -> Bool {
        switch components.resolved(schema).rule {
        case .object: true
        case .anyOf(let alternatives): alternatives.allSatisfy { isObject($0) }
        default: false
        }
    }

    // MARK: Definitions

    /// Adds a definition.
    mutating func define(_ lines: [String]) { definitions.append(lines) }

    /// A member of an object as an attribute.
    struct Member {
        let name, attribute: String
        let type: PythonType
        let description: String
        let isRequired: Bool

        /// The annotation, with a default if the member can be left out.
        var declaration: String {
            let type = isRequired ? type : type.optional
            return "\(attribute): \(type.annotation)\(isRequired ? "" : " = None")"
        }
    }

    /// Returns the members of an object, the required ones first.
    mutating func members(
        _ properties: [ContractSchema.Property],
        of owner: String,
        reserved: Set<String>
    ) -> [Member] {
        let sorted = properties.filter(\.isRequired) + properties.filter { !$0.isRequired }
        let attributes = PythonNames.members(sorted.map(\.name), reserved: reserved)
        return zip(sorted, attributes).map { property, attribute in
            Member(
                name: property.name,
                attribute: attribute,
                type: type(property.schema, named: owner + PythonNames.capitalised(property.name)),
                description: property.schema.description,
                isRequired: property.isRequired
            )
        }
    }

    private mutating func define(_ name: String, _ properties: [ContractSchema.Property], _ description: String) {
        let members = members(properties, of: name, reserved: PythonNames.value)
        var lines = ["@dataclass(frozen=True)", "class \(name):"]
        lines += PythonText.docstring(description.isEmpty ? "A value of the contract." : description, indent: 4)
        if !members.isEmpty { lines.append("") }
        for member in members {
            lines.append("    \(member.declaration)")
            lines += PythonText.docstring(member.description, indent: 4)
        }
        lines += ["", "    @classmethod", "    def from_json(cls, json: Any) -> \(name):"]
        lines.append("        \(members.isEmpty ? "" : "members = ")as_object(json)")
        let arguments = members.map { member in
            let type = member.isRequired ? member.type : member.type.optional
            return "\(member.attribute)=\(type.read("members.get(\(PythonText.literal(member.name)))"))"
        }
        lines += PythonText.list("return cls(", arguments, ")", indent: 8)
        lines += ["", "    def to_json(self) -> dict[str, Any]:"]
        let entries = members.map { (name: $0.name, value: "self.\($0.attribute)", isRequired: $0.isRequired) }
        lines += Self.dictionary("return ", entries, "", indent: 8)
        definitions.append(lines)
    }

    /// Returns a dictionary, without the optional members that are `None`.
    static func dictionary(
        _ opening: String,
        _ members: [(name: String, value: String, isRequired: Bool)],
        _ closing: String,
        indent: Int
    ) -> [String] {
        let entries = members.map { "\(PythonText.literal($0.name)): \($0.value)" }
        let count = members.count { $0.isRequired }
        let (required, optional) = (Array(entries.prefix(count)), Array(entries.dropFirst(count)))
        if optional.isEmpty { return PythonText.list("\(opening){", required, "}\(closing)", indent: indent) }
        if required.isEmpty {
            return PythonText.list("\(opening)without_none({", optional, "})\(closing)", indent: indent)
        }
        let part = "**without_none({\(optional.joined(separator: ", "))})"
        return PythonText.list("\(opening){", required + [part], "}\(closing)", indent: indent)
    }

    private mutating func defineLiteral(
        _ name: String,
        _ choices: [ContractSchema.Choice],
        _ description: String
    ) {
        let described = choices.filter { !$0.description.isEmpty }.map { choice in
            "- \(PythonType.cases([choice])?.first ?? ""): \(choice.description)"
        }
        let text =
            ([description.isEmpty ? "An enumeration. A newer daemon may send another case." : description, ""]
            + described).joined(separator: "\n")
        definitions.append(
            PythonText.list("\(name) = Literal[", PythonType.cases(choices) ?? [], "]", indent: 0)
                + PythonText.docstring(text, indent: 0)
        )
    }

    // MARK: Failures

    /// Returns the exception of a declared failure.
    ///
    /// Actions that declare a failure with the same name and details share the exception.
    mutating func exception(_ failure: ContractType.Failure, of action: String) -> String {
        let schema = failure.details?.node.json
        if let same = failures.first(where: { $0.error == failure.error && $0.details == schema }) { return same.name }
        let word = PythonNames.capitalised(failure.error)
        let suffix = word.hasSuffix("Error") ? "" : "Error"
        let isFirst = !failures.contains { $0.error == failure.error }
        let name = names.type((isFirst ? "" : action) + word + suffix)
        failures.append(Failure(error: failure.error, details: schema, name: name))
        let details = "\(isFirst ? "" : action)\(word)Details"
        let type = failure.details.map { self.type($0, named: details) } ?? PythonType.none
        var text = failure.description.isEmpty ? "The failure `\(failure.error)`." : failure.description
        if failure.isRetryable { text += "\n\nA later call may succeed." }
        var lines = ["class \(name)(ActionFailed):"] + PythonText.docstring(text, indent: 4)
        lines += ["", "    details: \(type.annotation)", "", "    @staticmethod"]
        lines += ["    def read(json: Any) -> \(type.annotation):"]
        lines.append("        return \(type.cast(type.read("json")))")
        definitions.append(lines)
        return name
    }
}
