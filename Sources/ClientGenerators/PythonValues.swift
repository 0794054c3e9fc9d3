import ViewModelContract

/// The types of values in a Python client: frozen dataclasses, literals, and the errors with details.
struct PythonValues {
    let contract: Contract
    var components: ContractComponents { contract.components }
    /// The scope of the names of types.
    var names: PythonScope
    var definitions: [GeneratedTemplate.Values] = []
    /// The classes and literals of the components.
    private var known: [String: PythonType] = [:]
    /// The components that are being read, of those that are neither a class nor a literal.
    private var open: Set<String> = []
    /// The exceptions of declared failures, by the names of the failures.
    var failures: [String: [FailureKey: String]] = [:]
    /// The names that the parts of the contract got.
    var given = GeneratedNames()

    /// Reads the components.
    init(_ contract: Contract) {
        self.contract = contract
        // The last ones are imported for the type checkers only.
        let own: Set = ["Session", "SyncSession", "A", "Concatenate", "ParamSpec"]
        names = PythonScope(reserved: PythonNames.runtime.union(PythonNames.builtins).union(own))
        // The types of ViewModels keep their names, so that a component of that name gets another one.
        for (type, name) in zip(contract.types, names.types(contract.types.map(\.name))) {
            given.add(name, at: type.name)
            let parts = [
                ("sync", "Sync\(name)"), ("picture", "\(name)Picture"), ("output", "\(name)Output"),
                ("list", "\(name)List"),
            ]
            for (role, part) in parts { given.add(names.type(part), at: type.name, role) }
        }
        let declared = components.names.filter { Self.isDeclared(components[$0]) }
        for (name, type) in zip(declared, names.types(declared)) {
            given.add(type, at: "components.\(name)")
            if case .choice? = components[name]?.rule {
                known[name] = PythonType(annotation: type, reader: "as_case", isLoose: true)
            } else {
                known[name] = PythonType(annotation: type, reader: "\(type).from_json")
            }
        }
        for name in declared {
            guard let schema = components[name], let type = known[name] else { continue }
            switch schema.rule {
            case .object(let properties, _):
                define(.component(name, type.annotation), as: type.annotation, properties, schema.description)
            case .choice(let choices): defineLiteral(type.annotation, choices, schema.description)
            default: break
            }
        }
    }

    /// Whether a component has a class or a literal of its name.
    private static func isDeclared(_ schema: ContractSchema?) -> Bool {
        switch schema?.rule {
        case .object(let properties, let others)?: others == nil || !properties.isEmpty
        case .choice(let choices)?: PythonType.choice(choices).isLoose
        default: false
        }
    }

    /// The names of a ViewModel type and of what belongs to it.
    struct TypeNames {
        let viewModel, sync, picture, output, list: String

        init(of type: String, in given: GeneratedNames) {
            func name(_ role: String) -> String { given.name(type, role) ?? type }
            (viewModel, sync, picture) = (name(""), name("sync"), name("picture"))
            (output, list) = (name("output"), name("list"))
        }
    }

    // MARK: Types

    /// Returns the type of a schema, and defines the classes in it.
    ///
    /// `path` names the class of an object, and `description` is its docstring if the schema has no description.
    mutating func type(
        _ schema: ContractSchema,
        at path: SchemaPath,
        describedAs description: String = ""
    ) -> PythonType {
        switch schema.rule {
        case .any: return .any
        case .null: return .none
        case .boolean: return PythonType(annotation: "bool", reader: "as_boolean")
        case .integer: return PythonType(annotation: "int", reader: "as_integer")
        case .number: return PythonType(annotation: "float", reader: "as_number")
        case .string(let rule): return .string(rule)
        case .choice(let choices): return .choice(choices)
        case .array(let element, _, _): return type(element, at: path.appending("[]", "Item")).list
        case .object(let properties, let others?) where properties.isEmpty:
            return type(others, at: path.appending(".*", "Item")).dictionary
        case .object(let properties, _):
            let type = names.type(path.hint)
            given.add(type, at: path.text, "type")
            define(path, as: type, properties, schema.description.isEmpty ? description : schema.description)
            return PythonType(annotation: type, reader: "\(type).from_json")
        case .anyOf(let alternatives):
            if let value = schema.unwrapped { return type(value, at: path).optional }
            return .union(
                alternatives.enumerated().map { index, schema in
                    type(schema, at: index == 0 ? path : path.appending("|\(index + 1)", "\(index + 1)"))
                }
            )
        case .reference(let component):
            if let type = known[component] { return type }
            // Python 3.9 has no type for a value that contains itself, unless it is a class.
            guard let schema = components[component], open.count < Self.deepest, open.insert(component).inserted else {
                return .any
            }
            defer { open.remove(component) }
            var type = type(schema, at: .component(component, PythonNames.capitalised(component)))
            // A type that stands twice in another one, which stands twice in another one, and so on.
            if type.annotation.utf8.count + type.reader.utf8.count > Self.longest { type = .any }
            known[component] = type
            return type
        }
    }

    /// The largest number of components, each without a class, of which one contains the next.
    private static let deepest = 32
    /// The largest number of characters of a component's type.
    private static let longest = 4096
}
