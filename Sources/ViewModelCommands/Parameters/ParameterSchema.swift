import ViewModelClient

/// A JSON Schema of the contract, reduced to the kinds of value that it allows.
struct ParameterSchema {
    /// The kinds of value in a schema's `type`.
    enum Kind: String, CaseIterable {
        case null, boolean, integer, number, string, array, object
    }

    /// The name under which the document has the schema; nil for a schema without a name.
    let name: String?
    private let schema: JSONValue
    private let document: JSONValue

    /// Creates a schema and resolves a `$ref` into the document.
    init(_ schema: JSONValue, in document: JSONValue) {
        self.document = document
        var schema = schema
        var name: String?
        // A chain of references is short. The limit ends a cycle.
        for _ in 0..<16 {
            guard case .object(let members) = schema, case .string(let reference)? = members["$ref"],
                reference.hasPrefix("#"), let pointer = JSONPointer(String(reference.dropFirst())),
                let target = document[pointer]
            else { break }
            schema = target
            name = pointer.tokens.last
        }
        self.schema = schema
        self.name = name
    }

    /// The members of an object; nil if the schema does not describe an object.
    var members: ParameterMembers? {
        guard kinds == [.object] else { return nil }
        // The options of a call are no parameter.
        let properties = (self["properties"]?.objectValue ?? [:]).filter { $0.key != "_meta" }
        return ParameterMembers(
            properties.map { ($0.key, ParameterSchema($0.value, in: document)) },
            required: Set(self["required"]?.arrayValue?.compactMap(\.stringValue) ?? [])
        )
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

    /// The schemas of which a value has one; nil if the schema has no alternatives.
    var alternatives: [ParameterSchema]? {
        (self["anyOf"] ?? self["oneOf"])?.arrayValue?.map { ParameterSchema($0, in: document) }
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
        if let alternatives { return alternatives.reduce(into: []) { $0.formUnion($1.kinds) } }
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

    /// Returns a keyword of the schema.
    subscript(name: String) -> JSONValue? {
        schema.objectValue?[name]
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
