import ViewModelKit

/// A converter of schemas to JSON Schema that collects the definitions they refer to.
struct SchemaDocument {
    /// The schemas of recursive types, for `components/schemas`.
    private(set) var definitions: [(String, DocumentValue)] = []

    mutating func describe(_ schema: Schema) -> DocumentValue {
        switch schema {
        case .any: return .object([])
        case .null: return Self.type("null")
        case .boolean: return Self.type("boolean")
        case .integer(let range):
            var members: [(String, DocumentValue)] = [("type", .string("integer"))]
            // The bounds of a 64-bit integer are of no use to a client.
            if let range, range.upperBound < Int128(Int64.max) || range.lowerBound >= 0 {
                members.append(("minimum", .integer(range.lowerBound)))
                if range.upperBound < Int128(Int64.max) { members.append(("maximum", .integer(range.upperBound))) }
            }
            return .object(members)
        case .number: return Self.type("number")
        case .string(let format, let encoding):
            var members: [(String, DocumentValue)] = [("type", .string("string"))]
            if let format { members.append(("format", .string(format))) }
            if let encoding { members.append(("contentEncoding", .string(encoding))) }
            return .object(members)
        case .enumeration(let cases):
            return .object([("type", .string("string")), ("enum", .array(cases.map { .string($0) }))])
        case .integerEnumeration(let cases):
            return .object([("type", .string("integer")), ("enum", .array(cases.map { .integer($0) }))])
        case .array(let element):
            return .object([("type", .string("array")), ("items", describe(element))])
        case .dictionary(let value):
            return .object([("type", .string("object")), ("additionalProperties", describe(value))])
        case .object(let properties):
            return object(properties)
        case .optional(let value):
            return .object([("anyOf", .array([describe(value), Self.type("null")]))])
        case .anyOf(let alternatives):
            return .object([("anyOf", .array(alternatives.map { describe($0) }))])
        case .definition(let name, let schema):
            if !definitions.contains(where: { $0.0 == name }) {
                definitions.append((name, .object([])))
                let index = definitions.count - 1
                definitions[index].1 = describe(schema)
            }
            return Self.reference(name)
        case .reference(let name): return Self.reference(name)
        case .type: return describe(schema.resolved)
        }
    }

    private mutating func object(_ properties: [Schema.Property]) -> DocumentValue {
        var members: [(String, DocumentValue)] = [("type", .string("object"))]
        members.append(("properties", .object(properties.map { ($0.name, describe($0.schema)) })))
        let required = properties.filter(\.required).map { DocumentValue.string($0.name) }
        if !required.isEmpty { members.append(("required", .array(required))) }
        members.append(("additionalProperties", .bool(false)))
        return .object(members)
    }

    private static func type(_ name: String) -> DocumentValue { .object([("type", .string(name))]) }

    private static func reference(_ name: String) -> DocumentValue {
        .object([("$ref", .string("#/components/schemas/\(name)"))])
    }
}
