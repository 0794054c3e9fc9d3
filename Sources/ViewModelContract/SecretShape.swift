/// The places of secrets in a value: those with the format `password` in the schemas that the value may have.
///
/// Isolation: not `Sendable`. A recursive schema has a recursive shape.
package struct SecretShape {
    /// The places in the values of one schema.
    private final class Node {
        /// Whether the whole value is a secret.
        var isSecret = false
        /// Whether the value is a secret or contains one.
        var hasSecrets = false
        var members: [String: Node] = [:]
        var others: Node?
        var elements: [Node] = []
        var alternatives: [Node] = []

        var parts: [Node] { Array(members.values) + [others].compactMap(\.self) + elements + alternatives }
    }

    private let nodes: [Node]

    /// Creates a shape with each node once, because the alternatives at each level may have the same ones.
    private init(_ nodes: [Node]) {
        var seen: Set<ObjectIdentifier> = []
        self.nodes = nodes.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// Creates the shape of a value that has one of several shapes.
    package init(anyOf shapes: [SecretShape?]) {
        self.init(shapes.flatMap { $0?.nodes ?? [] })
    }

    /// The shape of a value of which no schema is known.
    package static var unknown: SecretShape { SecretShape([]) }

    /// Whether no schema of the value is known.
    package var isUnknown: Bool { nodes.isEmpty }

    /// Whether the value is a secret or contains one.
    package var hasSecrets: Bool { nodes.contains { $0.hasSecrets } }

    /// Whether the value as a whole is a secret in one of the alternatives.
    package var mayBeSecret: Bool { all.contains { $0.isSecret } }

    /// The shape of the elements of an array.
    package var elements: SecretShape { SecretShape(all.flatMap(\.elements)) }

    /// Returns the shape of a member of an object, which is unknown if no schema names the member.
    package func named(_ name: String) -> SecretShape {
        SecretShape(all.compactMap { $0.members[name] ?? $0.others })
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

    /// The nodes and their alternatives.
    private var all: [Node] {
        var (found, seen): ([Node], Set<ObjectIdentifier>) = ([], [])
        var open = nodes
        while let next = open.popLast() {
            guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
            found.append(next)
            open += next.alternatives
        }
        return found
    }

    /// Reads the shapes of schemas that refer to the same definitions.
    package struct Reader {
        private let components: ContractComponents
        private var definitions: [String: Node] = [:]
        /// The definitions that are still to be read, because each may contain the next one of a long chain.
        private var unread: [(schema: ContractNode, node: Node)] = []

        package init(_ components: ContractComponents) {
            self.components = components
        }

        /// Returns the shape of a schema.
        package mutating func shape(of schema: ContractSchema) -> SecretShape {
            let root = part(schema.node)
            while let next = unread.popLast() { read(next.schema, into: next.node) }
            var parents: [ObjectIdentifier: [Node]] = [:]
            var secret: [Node] = []
            var open = [root]
            var seen: Set = [ObjectIdentifier(root)]
            while let next = open.popLast() {
                if next.isSecret || next.hasSecrets { secret.append(next) }
                for part in next.parts {
                    parents[ObjectIdentifier(part), default: []].append(next)
                    if seen.insert(ObjectIdentifier(part)).inserted { open.append(part) }
                }
            }
            // A definition may contain itself, so that the marks are passed on to what has none yet.
            while let next = secret.popLast() {
                next.hasSecrets = true
                secret += parents[ObjectIdentifier(next), default: []].filter { !$0.hasSecrets }
            }
            return SecretShape([root])
        }

        /// Returns the shape of a value that has one of several schemas.
        package mutating func shape(anyOf schemas: [ContractSchema?]) -> SecretShape {
            SecretShape(anyOf: schemas.map { $0.map { shape(of: $0) } })
        }

        /// Reads a schema as the document has it, because ``ContractSchema`` leaves out some keywords.
        private mutating func read(_ schema: ContractNode, into node: Node) {
            if let reference = schema["$ref"]?.text {
                node.alternatives.append(definition(String(reference.split(separator: "/").last ?? "")))
            }
            if schema["format"]?.text == "password" { node.isSecret = true }
            for (name, property) in schema["properties"]?.members ?? [] {
                node.members[name] = part(property)
            }
            if let others = schema["additionalProperties"], others.members != nil { node.others = part(others) }
            if let items = schema["items"] { node.elements.append(part(items)) }
            for item in schema["prefixItems"]?.elements ?? [] { node.elements.append(part(item)) }
            for keyword in ["anyOf", "oneOf", "allOf"] {
                for alternative in schema[keyword]?.elements ?? [] { node.alternatives.append(part(alternative)) }
            }
        }

        private mutating func part(_ schema: ContractNode) -> Node {
            let node = Node()
            read(schema, into: node)
            return node
        }

        private mutating func definition(_ name: String) -> Node {
            if let known = definitions[name] { return known }
            let node = Node()
            definitions[name] = node
            if let schema = components[name] { unread.append((schema.node, node)) }
            return node
        }
    }
}
