import JSONRPC
import ViewModelClient
import ViewModelContract

/// The values of schemas as texts on the command line.
extension ContractComponents {
    /// Returns the kinds of value that a schema allows; all kinds if it has no restriction.
    func kinds(of schema: ContractSchema) -> Set<JSONKind> {
        switch resolved(schema).rule {
        case .any, .reference: Set(JSONKind.allCases)
        case .null: [.null]
        case .boolean: [.boolean]
        case .integer, .number: [.number]
        case .string: [.string]
        case .choice(let choices): Set(choices.map(\.value.kind))
        case .array: [.array]
        case .object: [.object]
        case .anyOf: alternatives(of: schema).reduce(into: []) { $0.formUnion(kinds(of: $1)) }
        }
    }

    func allowsNothing(_ schema: ContractSchema) -> Bool { kinds(of: schema) == [.null] }

    /// Returns the texts of all values of an enum or a Boolean; none for other schemas.
    func examples(of schema: ContractSchema) -> [String] {
        alternatives(of: schema).flatMap { schema in
            switch resolved(schema).rule {
            case .choice(let choices): choices.map(\.text)
            case .boolean: ["true", "false"]
            default: [String]()
            }
        }
    }

    /// Converts a text to a value of a schema.
    ///
    /// The result is a string if the schema allows only strings, or only strings and null. Otherwise the text is parsed
    /// as JSON. A text that is invalid JSON or of another kind stays a string, and the daemon's error then names the
    /// expected value.
    func value(of text: String, as schema: ContractSchema) -> JSONValue {
        let kinds = kinds(of: schema)
        guard !kinds.contains(.string) || !kinds.isSubset(of: [.string, .null]) else { return .string(text) }
        guard let value = JSONValue(text: text) else { return .string(text) }
        return kinds.contains(value.kind) ? value : .string(text)
    }
}
