import ViewModelContract
import ViewModelProtocol

/// The Swift types of the values of a contract: which type a schema has, and the declarations of structs and enums.
struct SwiftClientTypes {
    private let contract: Contract
    var scope: SwiftClientScope
    /// The component that is being declared, with the types without a name inside it.
    private var enclosing: String?
    /// The names of the types without a name of their own: a field has one type as an input and as an output.
    ///
    /// The keys are the hint of the path and the schema.
    private var unnamed: [String: [JSONValue: String]] = [:]
    private(set) var declarations: [GeneratedTemplate.Values] = []
    /// The names that the parts of the contract got.
    var given = GeneratedNames()
    /// The components that contain each other directly, not in an array or a dictionary.
    private let containers: ComponentCycles
    /// The components that are only other names of each other.
    private let aliases: ComponentCycles

    init(_ contract: Contract, scope: SwiftClientScope) {
        self.contract = contract
        self.scope = scope
        let names = contract.components.names
        containers = ComponentCycles(names) { Self.content(contract.components[$0]) }
        aliases = ComponentCycles(names) { contract.components[$0].map(Self.aliased) ?? [] }
        for (name, type) in zip(names, self.scope.types(names)) { given.add(type, at: "components.\(name)") }
    }

    mutating func declareComponents() {
        for name in contract.components.names {
            guard let swift = given.name("components.\(name)"), let schema = contract.components[name] else { continue }
            enclosing = name
            declare(schema, at: .component(name, swift), component: name)
        }
        enclosing = nil
    }

    // MARK: - Expressions

    /// Returns the type of a schema; a struct or an enum without a name is declared.
    ///
    /// `path` names a type to be declared.
    mutating func type(_ schema: ContractSchema, _ path: SchemaPath) -> String {
        guard case .expression = Self.form(schema) else { return declared(schema, path) }
        switch schema.rule {
        case .any, .null, .choice: return "JSONValue"
        case .boolean: return "Bool"
        case .integer(_, let maximum):
            return schema.format == "uint64" || (maximum ?? 0) > Int128(Int.max) ? "UInt64" : "Int"
        case .number: return "Double"
        case .string(let rule): return Self.string(rule.format)
        case .reference(let name): return given.name("components.\(name)") ?? "JSONValue"
        case .array(let element, _, _): return "[\(type(element, path.appending("[]", "Item")))]"
        case .object(_, let others):
            return others.map { "[String: \(type($0, path.appending(".*", "Value")))]" } ?? "JSONValue"
        case .anyOf(let alternatives):
            guard let value = schema.unwrapped else {
                return alternatives.count == 1 ? type(alternatives[0], path) : "JSONValue"
            }
            let type = type(value, path)
            return type == "JSONValue" || type.hasSuffix("?") ? type : type + "?"
        }
    }

    /// Returns the type of a member, which may be absent.
    mutating func type(_ property: ContractSchema.Property, in path: SchemaPath) -> String {
        let path = path.appending(".\(property.name)", SwiftClientNames.type(property.name))
        let type = type(property.schema, path)
        return property.isRequired || type.hasSuffix("?") ? type : type + "?"
    }

    /// Declares a type without a name of its own, once for each path.
    private mutating func declared(_ schema: ContractSchema, _ path: SchemaPath) -> String {
        let known = unnamed[path.hint]?[schema.node.json]
        let name = known ?? scope.add(path.hint)
        given.add(name, at: path.text, "type")
        if known == nil {
            unnamed[path.hint, default: [:]][schema.node.json] = name
            declare(schema, at: SchemaPath(text: path.text, hint: name), component: nil)
        }
        return name
    }

    private static func string(_ format: String?) -> String {
        switch format {
        case "date-time": "Date"
        case "byte", "binary": "Data"
        case "uuid": "UUID"
        case "uri", "url": "URL"
        case "decimal": "Decimal"
        default: "String"
        }
    }

    /// What the values of a schema become.
    private enum Form {
        case structure([ContractSchema.Property])
        case enumeration([ContractSchema.Choice], raw: String)
        case union([ContractSchema.Property])
        /// An expression of other types.
        case expression
    }

    private static func form(_ schema: ContractSchema) -> Form {
        switch schema.rule {
        case .object(let properties, let others) where !properties.isEmpty || others == nil: .structure(properties)
        case .choice(let choices): rawType(choices).map { .enumeration(choices, raw: $0) } ?? .expression
        case .anyOf(let alternatives): cases(alternatives).map(Form.union) ?? .expression
        default: .expression
        }
    }

    /// Returns the type of the raw values of an enum; nil if they are of several kinds.
    static func rawType(_ choices: [ContractSchema.Choice]) -> String? {
        if choices.allSatisfy({ $0.value.stringValue != nil }) { return "String" }
        if choices.allSatisfy({ $0.value.intValue != nil }) { return "Int" }
        return nil
    }

    /// Returns the cases of an enum with associated values, as Swift writes it: objects with one member.
    private static func cases(_ alternatives: [ContractSchema]) -> [ContractSchema.Property]? {
        guard alternatives.count > 1 else { return nil }
        var cases: [ContractSchema.Property] = []
        for alternative in alternatives {
            guard case .object(let properties, nil) = alternative.rule, properties.count == 1,
                let property = properties.first, property.isRequired
            else { return nil }
            cases.append(property)
        }
        return cases
    }

    // MARK: - Declarations

    /// Declares a type, whose name is the hint of its path.
    private mutating func declare(_ schema: ContractSchema, at path: SchemaPath, component: String?) {
        // The declarations of the parts follow the whole.
        let index = declarations.count
        declarations.append([:])
        switch Self.form(schema) {
        case .structure(let properties): declarations[index] = ["struct": [structure(schema, properties, path)]]
        case .enumeration(let choices, let raw):
            declarations[index] = ["enum": [enumeration(schema, choices, raw, path)]]
        case .union(let cases): declarations[index] = ["union": [union(schema, cases, path)]]
        case .expression:
            let doc =
                schema.description.isEmpty ? "Values of the schema `\(component ?? path.hint)`." : schema.description
            let isLoop = component.map { aliases.contain($0) } ?? false
            let value = isLoop ? "JSONValue" : type(schema, path.appending("", "Value"))
            let alias: GeneratedTemplate.Values = ["doc": SwiftClientText.doc(doc), "name": path.hint, "type": value]
            declarations[index] = ["alias": [alias]]
        }
    }

    /// The types that make an `id` the identity of a struct.
    private static let identifiers = ["String", "Int", "UInt64", "UUID"]

    private mutating func structure(
        _ schema: ContractSchema,
        _ properties: [ContractSchema.Property],
        _ path: SchemaPath
    ) -> GeneratedTemplate.Values {
        var names = SwiftClientScope(reserved: ["hash", "hashValue", "encode"])
        let members = zip(properties, names.members(properties.map(\.name))).map { property, member in
            given.add(member, at: "\(path.text).\(property.name)")
            var type = type(property, in: path)
            if let enclosing, contains(property.schema, enclosing) {
                type = type.hasSuffix("?") ? "Indirect<\(type.dropLast())>?" : "Indirect<\(type)>"
            }
            return (name: member, type: type, property: property)
        }
        let fields = members.map { (name: SwiftClientNames.code($0.name), type: $0.type) }
        let isIdentifiable = members.contains { $0.name == "id" && Self.identifiers.contains($0.type) }
        return [
            "doc": Self.doc(schema, "An object of the contract."), "name": path.hint,
            "identifiable": isIdentifiable ? ", Identifiable" : "", "initializer": SwiftClientText.initializer(fields),
            "hasProperties": members.isEmpty ? "" : "true",
            "properties": zip(fields, members).map { field, member -> GeneratedTemplate.Values in
                let wire = member.property.name
                return [
                    "doc": SwiftClientText.doc(Self.description(member.property.schema)), "name": field.name,
                    "type": field.type, "key": member.name == wire ? "" : " = " + SwiftClientText.literal(wire),
                ]
            },
        ]
    }

    private static func doc(_ schema: ContractSchema, _ standard: String) -> String {
        SwiftClientText.doc(schema.description.isEmpty ? standard : schema.description)
    }

    /// The description of a member: its own, which a reference may have beside it.
    private static func description(_ schema: ContractSchema) -> String {
        if !schema.description.isEmpty { return schema.description }
        return schema.unwrapped?.description ?? ""
    }

    private mutating func enumeration(
        _ schema: ContractSchema,
        _ choices: [ContractSchema.Choice],
        _ raw: String,
        _ path: SchemaPath
    ) -> GeneratedTemplate.Values {
        let reserved: Set = ["unknown", "allCases", "rawValue", "hash", "hashValue", "encode"]
        var names = SwiftClientScope(reserved: reserved.union(SwiftClientNames.optional))
        var seen: Set<JSONValue> = []
        let distinct = choices.filter { seen.insert($0.value).inserted }
        let wires = distinct.map { $0.value.stringValue ?? "\($0.value.intValue ?? 0)" }
        let signed = wires.map { raw == "Int" && $0.hasPrefix("-") ? "minus\($0.dropFirst())" : $0 }
        let members = names.members(signed)
        let cases = distinct.indices.map { index -> GeneratedTemplate.Values in
            let literal = raw == "Int" ? wires[index] : SwiftClientText.literal(wires[index])
            let description = distinct[index].description
            given.add(members[index], at: "\(path.text) case \(literal)")
            return [
                "doc": SwiftClientText.doc(description.isEmpty ? "`\(literal)`" : description),
                "case": SwiftClientNames.code(members[index]), "wire": literal,
            ]
        }
        return ["doc": Self.doc(schema, "A value of the contract."), "name": path.hint, "raw": raw, "cases": cases]
    }

    private mutating func union(
        _ schema: ContractSchema,
        _ properties: [ContractSchema.Property],
        _ path: SchemaPath
    ) -> GeneratedTemplate.Values {
        let reserved: Set = ["unknown", "hash", "hashValue", "encode"]
        var names = SwiftClientScope(reserved: reserved.union(SwiftClientNames.optional))
        let members = names.members(properties.map(\.name))
        let cases = zip(properties, members).map { property, member -> GeneratedTemplate.Values in
            let wire = SwiftClientText.literal(property.name)
            given.add(member, at: "\(path.text) case \(wire)")
            let inner = path.appending(".\(property.name)", SwiftClientNames.type(property.name))
            return [
                "doc": SwiftClientText.doc(Self.description(property.schema)), "case": SwiftClientNames.code(member),
                "wire": wire, "type": type(property.schema, inner),
            ]
        }
        let isLoop = enclosing.map { name in properties.contains { contains($0.schema, name) } } ?? false
        return [
            "doc": Self.doc(schema, "A value of the contract."), "name": path.hint, "cases": cases,
            "indirect": isLoop ? " indirect" : "",
        ]
    }

    // MARK: - Recursion

    /// Returns whether a value in a component contains the component directly, not in an array or a dictionary.
    private func contains(_ schema: ContractSchema, _ component: String) -> Bool {
        containers.contain(component)
            && Self.content(schema).contains { containers.areConnected($0, component) }
    }

    /// The components that a value contains directly.
    private static func content(_ schema: ContractSchema?) -> [String] {
        schema?.references { schema in
            switch schema.rule {
            case .object(let properties, _): properties.map(\.schema)
            case .anyOf(let alternatives): alternatives
            default: []
            }
        } ?? []
    }

    /// The components in the type of a component that is only another name of that type.
    private static func aliased(_ schema: ContractSchema) -> [String] {
        guard case .expression = form(schema) else { return [] }
        return schema.references { schema in
            if case .object(let properties, _) = schema.rule, !properties.isEmpty { [] } else { schema.parts }
        }
    }
}
