import ViewModelClient

/// A JSON Schema of the contract, reduced to the kinds of value that it allows.
struct ParameterSchema {
    /// The kinds of value in a schema's `type`.
    enum Kind: String, CaseIterable {
        case null, boolean, integer, number, string, array, object
    }

    private let schema: JSONValue
    private let document: JSONValue

    /// Creates a schema and resolves a `$ref` into the document.
    init(_ schema: JSONValue, in document: JSONValue) {
        self.document = document
        var schema = schema
        // A chain of references is short. The limit ends a cycle.
        for _ in 0..<16 {
            guard case .object(let members) = schema, case .string(let reference)? = members["$ref"],
                reference.hasPrefix("#"), let pointer = JSONPointer(String(reference.dropFirst())),
                let target = document[pointer]
            else { break }
            schema = target
        }
        self.schema = schema
    }

    /// The schemas of an object's members; nil if the schema does not describe an object.
    var properties: [String: ParameterSchema]? {
        guard kinds == [.object] else { return nil }
        guard case .object(let members)? = self["properties"] else { return [:] }
        return members.dictionary { ParameterSchema($0, in: document) }
    }

    /// The names of the required members.
    var required: Set<String> {
        Set(self["required"]?.arrayValue?.compactMap(\.stringValue) ?? [])
    }

    /// The schema of an array's elements.
    var items: ParameterSchema? {
        self["items"].map { ParameterSchema($0, in: document) }
    }

    /// The texts of the allowed values; nil if the schema does not list them.
    var choices: [String]? {
        guard case .array(let values)? = self["enum"] else { return nil }
        return values.map { $0.stringValue ?? $0.description }
    }

    /// Whether the only allowed value is null.
    var isNothing: Bool { kinds == [.null] }

    /// The allowed kinds of value; all kinds if the schema has no restriction.
    var kinds: Set<Kind> {
        switch self["type"] {
        case .string(let name): return Set([Kind(rawValue: name)].compactMap(\.self))
        case .array(let names):
            return Set(
                names.compactMap { name in
                    guard case .string(let name) = name else { return nil }
                    return Kind(rawValue: name)
                }
            )
        default: break
        }
        if case .array(let values)? = self["enum"] { return Set(values.map(Self.kind)) }
        if let value = self["const"] { return [Self.kind(of: value)] }
        for name in ["anyOf", "oneOf"] {
            guard case .array(let choices)? = self[name] else { continue }
            return choices.reduce(into: []) { $0.formUnion(ParameterSchema($1, in: document).kinds) }
        }
        return self["properties"] == nil ? Set(Kind.allCases) : [.object]
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

    private subscript(name: String) -> JSONValue? {
        guard case .object(let members) = schema else { return nil }
        return members[name]
    }

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

extension ParameterSchema {
    /// A short text of the schema: `string`, `integer or null`, `{account, nickname?}`, `0 | 1 | 2`; empty for null.
    var summary: String {
        if let choices { return choices.joined(separator: " | ") }
        if let properties { return Self.members(properties.keys, required: required) }
        let kinds = kinds
        if kinds == [.array], let items { return "[\(items.summary)]" }
        if kinds == [.null] { return "" }
        if kinds.count == Kind.allCases.count { return "any" }
        return Kind.allCases.reversed().filter(kinds.contains).map(\.rawValue).joined(separator: " or ")
    }

    private static func members(_ names: some Sequence<String>, required: Set<String>) -> String {
        let names = names.sorted().map { required.contains($0) ? $0 : $0 + "?" }
        return names.isEmpty ? "" : "{\(names.joined(separator: ", "))}"
    }
}

/// The parameters of an input or an action.
enum ParameterForm {
    /// No value.
    case nothing
    /// One value that is not an object, given as `value=…` or without a name.
    case single(ParameterSchema)
    /// The members of an object, each given as a named value.
    case members([String: ParameterSchema])
    /// The contract does not describe the parameters, and the daemon checks them.
    case unknown

    /// Converts a parameter's text to JSON.
    func value(of text: String, named name: String) -> JSONValue {
        switch self {
        case .single(let schema) where name == "value": schema.value(of: text)
        case .members(let members): members[name]?.value(of: text) ?? .string(text)
        default: .string(text)
        }
    }
}
