/// The places of secrets in a value: those with the format `password` in the schemas that the value may have.
package struct SecretShape: Sendable {
    /// The schemas as the document has them, because ``ContractSchema`` leaves out some keywords.
    private let schemas: [ContractNode]
    private let components: ContractComponents?
    /// Whether the value is a secret or contains one.
    package let hasSecrets: Bool

    private init(_ schemas: [ContractNode], _ components: ContractComponents?) {
        self.schemas = schemas
        self.components = components
        hasSecrets = schemas.contains { components?.hasSecrets($0) == true }
    }

    /// Creates the shape of a value that has one of several schemas.
    package init(anyOf schemas: [ContractSchema?], in components: ContractComponents) {
        self.init(schemas.compactMap { $0?.node }, components)
    }

    /// The shape of a value of which no schema is known.
    package static var unknown: SecretShape { SecretShape([], nil) }

    /// Whether no schema of the value is known.
    package var isUnknown: Bool { schemas.isEmpty }

    /// Whether the value as a whole is a secret in one of the alternatives.
    package var mayBeSecret: Bool { all.contains { $0["format"]?.text == "password" } }

    /// The shape of the elements of an array.
    package var elements: SecretShape {
        SecretShape(all.flatMap { [$0["items"]].compactMap(\.self) + ($0["prefixItems"]?.elements ?? []) }, components)
    }

    /// Returns the shape of a member of an object, which is unknown if no schema names the member.
    package func named(_ name: String) -> SecretShape {
        let schemas = all.compactMap { schema in
            schema["properties"]?[name] ?? schema["additionalProperties"].flatMap { $0.members == nil ? nil : $0 }
        }
        return SecretShape(schemas, components)
    }

    /// Returns the shape of a member of an object that has secrets.
    ///
    /// A windowed list is an object with its rows.
    ///
    /// - Parameter name: the name of the member.
    /// - Returns: the shape, or nil for a member that no schema names: it may be a secret with another name.
    package func member(_ name: String) -> SecretShape? {
        let named = named(name)
        if !named.isUnknown { return named }
        return elements.isUnknown ? nil : name == "rows" ? self : .unknown
    }

    /// Returns the shape of a part of a value.
    ///
    /// - Parameter tokens: the path of the part, as those of patches.
    /// - Returns: the shape, or nil for a part that no schema names, beside secrets.
    package func part(at tokens: some Sequence<String>) -> SecretShape? {
        var shape = self
        for token in tokens {
            guard shape.hasSecrets, !shape.mayBeSecret else { return shape }
            let elements = shape.elements
            let isIndex = token == "-" || Int(token) != nil
            guard let part = isIndex && !elements.isUnknown ? elements : shape.member(token) else { return nil }
            shape = part
        }
        return shape
    }

    /// The schemas and their alternatives, with each component once.
    private var all: [ContractNode] {
        var (found, seen): ([ContractNode], Set<String>) = ([], [])
        var open = schemas
        while let next = open.popLast() {
            found.append(next)
            for keyword in ["anyOf", "oneOf", "allOf"] { open += next[keyword]?.elements ?? [] }
            guard let name = next.reference, seen.insert(name).inserted, let target = components?[name] else {
                continue
            }
            open.append(target.node)
        }
        return found
    }
}

extension ContractComponents {
    /// Returns whether a value of a schema is a secret or contains one.
    package func hasSecrets(_ schema: ContractSchema) -> Bool { hasSecrets(schema.node) }

    fileprivate func hasSecrets(_ schema: ContractNode) -> Bool {
        schema.containsMark { $0.map(secretNames.contains) ?? true }
    }

    /// Returns the names of the schemas whose values are secrets or contain some.
    static func secretNames(_ schemas: [String: ContractSchema]) -> Set<String> {
        var users: [String: [String]] = [:]
        var open: [String] = []
        for (name, schema) in schemas {
            _ = schema.node.containsMark { target in
                if let target { users[target, default: []].append(name) } else { open.append(name) }
                return false
            }
        }
        var found: Set<String> = []
        while let name = open.popLast() {
            if found.insert(name).inserted { open += users[name, default: []] }
        }
        return found
    }
}

extension ContractNode {
    /// The name of the component to which a schema refers, or nil.
    fileprivate var reference: String? { self["$ref"]?.text.map { String($0.split(separator: "/").last ?? "") } }

    /// Returns whether a condition holds for a component to which this schema or one inside of it refers, or for a secret.
    ///
    /// - Parameter condition: returns whether it holds for the component with a name; for nil, a secret.
    /// - Returns: whether it holds for one of them; the others are not visited then.
    fileprivate func containsMark(_ condition: (String?) -> Bool) -> Bool {
        reference.map(condition) == true
            || (members ?? []).contains { name, part in
                name == "format" && part.text == "password" ? condition(nil) : part.containsMark(condition)
            } || (elements ?? []).contains { $0.containsMark(condition) }
    }
}
