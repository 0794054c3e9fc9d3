import JSONRPC

/// The types of values in a Python client: frozen dataclasses, literals, and the errors with details.
struct PythonValues {
    let components: ContractComponents
    /// The scope of the names of types.
    var names: PythonNames
    /// The definitions, each as lines.
    var definitions: [[String]] = []
    /// The classes and literals of the components.
    private var known: [String: PythonType] = [:]
    /// The components that are being read, of those that are neither a class nor a literal.
    private var open: Set<String> = []
    /// The exceptions of declared failures.
    var failures: [Failure] = []

    /// A declared failure with its exception.
    struct Failure {
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
        // The last ones are imported for the type checkers only.
        let own: Set = ["Session", "SyncSession", "A", "Concatenate", "ParamSpec"]
        names = PythonNames(reserved: PythonNames.topLevel(of: runtime).union(PythonNames.builtins).union(own))
        // The types of ViewModels keep their names, so that a component of that name gets another one.
        for type in contract.types where typeNames[type.name] == nil {
            descriptions[type.name] = type.description
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

    /// The descriptions of the ViewModel types, by their names in the contract.
    private(set) var descriptions: [String: String] = [:]

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
    ///   - description: the docstring for that class, if the schema has no description.
    /// - Returns: the type.
    mutating func type(
        _ schema: ContractSchema,
        named name: String,
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
        case .array(let element, _, _): return type(element, named: "\(name)Item").list
        case .object(let properties, let others?) where properties.isEmpty:
            return type(others, named: "\(name)Item").dictionary
        case .object(let properties, _):
            let type = names.type(name)
            define(type, properties, schema.description.isEmpty ? description : schema.description)
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
}
