import JSONRPC
import ViewModelClient
import ViewModelContract

/// A schema of the contract, with the kinds of value that it allows.
struct ParameterSchema {
    /// The kinds of value in a schema's `type`.
    enum Kind: String, CaseIterable {
        case null, boolean, integer, number, string, array, object
    }

    /// The name under which the contract has the schema; nil for a schema without a name.
    let name: String?
    private let schema: ContractSchema
    private let components: ContractComponents

    /// Creates a schema, or that of the component to which it refers.
    init(_ schema: ContractSchema, in components: ContractComponents) {
        var (schema, name) = (schema, String?.none)
        while case .reference(let next) = schema.rule, let target = components[next] { (schema, name) = (target, next) }
        self.schema = schema
        self.name = name
        self.components = components
    }

    /// The members of an object; nil if the schema does not describe an object.
    var members: ParameterMembers? {
        guard case .object(let properties, _) = schema.rule else { return nil }
        return ParameterMembers(
            properties.map { ($0.name, ParameterSchema($0.schema, in: components)) },
            required: Set(properties.filter(\.isRequired).map(\.name))
        )
    }

    /// The schema of an array's elements.
    var items: ParameterSchema? {
        guard case .array(let element, _, _) = schema.rule else { return nil }
        return ParameterSchema(element, in: components)
    }

    /// The texts of the allowed values; nil if the schema does not list them.
    var choices: [String]? {
        guard case .choice(let choices) = schema.rule else { return nil }
        return choices.map { $0.value.stringValue ?? $0.value.description }
    }

    /// The texts of all values of an enum or a Boolean; empty for other schemas.
    var examples: [String] {
        if let choices { return choices }
        if alternatives != nil { return allAlternatives.flatMap(\.examples) }
        return kinds.subtracting([.null]) == [.boolean] ? ["true", "false"] : []
    }

    /// The schemas of which a value has one; nil if the schema has no alternatives.
    var alternatives: [ParameterSchema]? {
        guard case .anyOf(let alternatives) = schema.rule else { return nil }
        return alternatives.map { ParameterSchema($0, in: components) }
    }

    /// The schemas of which a value has one, also those of alternatives inside of others; none of them has alternatives.
    var allAlternatives: [ParameterSchema] {
        components.alternatives(of: schema).map { ParameterSchema($0, in: components) }
    }

    /// Whether the only allowed value is null.
    var isNothing: Bool { kinds == [.null] }

    /// The allowed kinds of value; all kinds if the schema has no restriction.
    var kinds: Set<Kind> {
        switch schema.rule {
        case .any, .reference: Set(Kind.allCases)
        case .null: [.null]
        case .boolean: [.boolean]
        case .integer: [.integer]
        case .number: [.number]
        case .string: [.string]
        case .choice(let choices): Set(choices.map { Self.kind(of: $0.value) })
        case .array: [.array]
        case .object: [.object]
        case .anyOf: allAlternatives.reduce(into: []) { $0.formUnion($1.kinds) }
        }
    }

    /// Converts a text to JSON.
    ///
    /// The result is a string if the schema allows only strings, or only strings and null. Otherwise the text is parsed
    /// as JSON. A text that is invalid JSON or of another kind stays a string, and the daemon's error then names the
    /// expected value.
    func value(of text: String) -> JSONValue {
        let kinds = kinds
        guard !kinds.contains(.string) || !kinds.isSubset(of: [.string, .null]) else { return .string(text) }
        guard let value = JSONValue(text: text) else { return .string(text) }
        let kind = Self.kind(of: value)
        let fits = kinds.contains(kind) || (kind == .number && kinds.contains(.integer))
        return fits ? value : .string(text)
    }

    /// Checks a value as a daemon checks one that is sent to it.
    ///
    /// - Throws: `ValueMismatch` for the first part that does not fit.
    func check(_ value: JSONValue) throws(ValueMismatch) { try schema.check(value, components) }

    /// The description for people, or an empty text.
    var description: String { schema.description }

    /// Returns a keyword of the schema.
    subscript(name: String) -> JSONValue? { schema.node[name]?.json }

    private static func kind(of value: JSONValue) -> Kind {
        switch value {
        case .null: .null
        case .bool: .boolean
        case .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }
}
