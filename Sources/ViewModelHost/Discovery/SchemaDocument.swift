import ViewModelKit
import ViewModelProtocol

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
        case .document(let text, let schema):
            // For the definitions that the text refers to.
            _ = describe(schema)
            return .text(text)
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

extension Schema {
    /// Converts the schema of a protocol method or notification.
    init(_ schema: WireSchema) {
        self =
            switch schema {
            case .any: .any
            case .null: .null
            case .boolean: .boolean
            case .integer(let range): .integer(range)
            case .string(let format): .string(format: format)
            case .enumeration(let cases): .enumeration(cases)
            case .array(let element): .array(Schema(element))
            case .dictionary(let value): .dictionary(Schema(value))
            case .object(let members):
                .object(members.map { Property($0.name, Schema($0.schema), required: $0.isRequired) })
            case .optional(let value): .optional(Schema(value))
            }
    }
}

extension ErrorCode {
    /// The meaning of the code in a few words.
    var meaning: String {
        switch self {
        case .invalidParams: "Invalid params"
        case .internalError: "Internal error"
        case .actionFailed: "The action failed"
        case .disabled: "The action is disabled"
        case .executing: "The action is already executing"
        case .notFound: "No such session, instance or type"
        case .accessDenied: "Access denied"
        case .limitExceeded: "Limit exceeded"
        case .shuttingDown: "The daemon is shutting down"
        case .deadlinePassed: "Deadline passed"
        case .cancelled: "The request was cancelled"
        default: "Error"
        }
    }
}

/// A JSON value whose members keep their order, because people read the document as well.
indirect enum DocumentValue {
    case null
    case string(String)
    case integer(Int128)
    case bool(Bool)
    case array([DocumentValue])
    case object([(String, DocumentValue)])
    /// A value as JSON text.
    case text(String)

    /// The value as JSON text.
    var text: [UInt8] {
        var writer = JSONWriter(reserving: 16 << 10)
        write(to: &writer)
        return writer.bytes
    }

    func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.raw("null")
        case .string(let text): writer.string(text)
        case .integer(let number): writer.integer(number)
        case .bool(let flag): writer.bool(flag)
        case .text(let text): writer.raw(Array(text.utf8))
        case .array(let elements):
            writer.byte(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { writer.byte(UInt8(ascii: ",")) }
                element.write(to: &writer)
            }
            writer.byte(UInt8(ascii: "]"))
        case .object(let members):
            writer.byte(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { writer.byte(UInt8(ascii: ",")) }
                writer.string(member.0)
                writer.byte(UInt8(ascii: ":"))
                member.1.write(to: &writer)
            }
            writer.byte(UInt8(ascii: "}"))
        }
    }
}
