/// The places of secrets in the values of a schema: those with the format `password`.
///
/// Isolation: not `Sendable`. A recursive schema has a recursive shape.
package final class SecretShape {
    /// Whether the whole value is a secret.
    package private(set) var isSecret = false
    /// Whether the value is a secret or contains one.
    package private(set) var hasSecrets = false
    private var members: [String: SecretShape] = [:]
    private var others: SecretShape?
    private var elements: [SecretShape] = []
    private var alternatives: [SecretShape] = []

    private init() {}

    /// Creates the shape of an object with these members, which are no secrets.
    package convenience init(members names: [String]) {
        self.init()
        for name in names { members[name] = SecretShape() }
    }

    /// Returns the shapes of a member of an object, or nil if no schema names the member.
    package func member(_ name: String) -> [SecretShape]? {
        let found = all.flatMap { [$0.members[name] ?? $0.others].compactMap(\.self) }
        return found.isEmpty ? nil : found
    }

    /// Returns the shapes of a member of an object that has some shapes.
    ///
    /// A windowed list is an object with its rows.
    ///
    /// - Parameters:
    ///   - name: the name of the member.
    ///   - shapes: the shapes of the object, of which at least one has secrets.
    /// - Returns: the shapes, or nil for a member that no schema names: it may be a secret with another name.
    package static func member(_ name: String, of shapes: [SecretShape]) -> [SecretShape]? {
        let named = shapes.flatMap { $0.member(name) ?? [] }
        if !named.isEmpty { return distinct(named) }
        let isWindow = shapes.contains { !$0.element.isEmpty }
        return isWindow ? (name == "rows" ? shapes : []) : nil
    }

    /// Returns the shapes of a part of a value that has some shapes.
    ///
    /// - Parameters:
    ///   - tokens: the path of the part, as those of patches.
    ///   - shapes: the shapes of the value.
    /// - Returns: the shapes, or nil for a part that no schema names, beside secrets.
    package static func part(at tokens: some Sequence<String>, of shapes: [SecretShape]) -> [SecretShape]? {
        var shapes = shapes
        for token in tokens {
            guard shapes.contains(where: \.hasSecrets), !shapes.contains(where: \.mayBeSecret) else { return shapes }
            let elements = Self.elements(of: shapes)
            let isIndex = token == "-" || Int(token) != nil
            guard let part = isIndex && !elements.isEmpty ? elements : member(token, of: shapes) else { return nil }
            shapes = part
        }
        return shapes
    }

    /// Returns the number of tokens of a path up to the first that no schema names, beside secrets.
    ///
    /// - Parameters:
    ///   - tokens: the path of a part of a value, as those of patches.
    ///   - shapes: the shapes of the value.
    /// - Returns: the number of tokens.
    package static func described(_ tokens: some Collection<String>, of shapes: [SecretShape]) -> Int {
        for count in 0..<tokens.count {
            guard let shapes = part(at: tokens.prefix(count), of: shapes) else { return count - 1 }
            if shapes.contains(where: \.mayBeSecret) { return count }
        }
        return part(at: tokens, of: shapes) == nil ? tokens.count - 1 : tokens.count
    }

    /// Returns the shapes of the elements of an array that has some shapes.
    package static func elements(of shapes: [SecretShape]) -> [SecretShape] { distinct(shapes.flatMap(\.element)) }

    /// Returns each shape once, because the alternatives at each level may have the same ones.
    static func distinct(_ shapes: [SecretShape]) -> [SecretShape] {
        var seen: Set<ObjectIdentifier> = []
        return shapes.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// The shapes of the elements of an array.
    package var element: [SecretShape] { all.flatMap(\.elements) }

    /// Whether the value as a whole is a secret in one of the alternatives.
    package var mayBeSecret: Bool { all.contains { $0.isSecret } }

    /// The shape and its alternatives.
    private var all: [SecretShape] {
        var found: [SecretShape] = []
        var open = [self]
        while let next = open.popLast() {
            if found.contains(where: { $0 === next }) { continue }
            found.append(next)
            open.append(contentsOf: next.alternatives)
        }
        return found
    }

    private var parts: [SecretShape] { Array(members.values) + [others].compactMap(\.self) + elements + alternatives }

    /// Reads the shapes of schemas that refer to the same definitions.
    package struct Reader {
        private let components: ContractComponents
        private var definitions: [String: SecretShape] = [:]
        /// The definitions that are still to be read, because each may contain the next one of a long chain.
        private var unread: [(schema: ContractNode, shape: SecretShape)] = []

        package init(_ components: ContractComponents) {
            self.components = components
        }

        /// Returns the shape of a schema.
        package mutating func shape(of schema: ContractSchema) -> SecretShape {
            let shape = SecretShape()
            read(schema.node, into: shape)
            while let next = unread.popLast() { read(next.schema, into: next.shape) }
            var parents: [ObjectIdentifier: [SecretShape]] = [:]
            var secret: [SecretShape] = []
            var open = [shape]
            var seen: Set = [ObjectIdentifier(shape)]
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
            return shape
        }

        /// Reads a schema as the document has it, because ``ContractSchema`` leaves out some keywords.
        private mutating func read(_ schema: ContractNode, into shape: SecretShape) {
            if let reference = schema["$ref"]?.text {
                shape.alternatives.append(definition(String(reference.split(separator: "/").last ?? "")))
            }
            if schema["format"]?.text == "password" { shape.isSecret = true }
            for (name, property) in schema["properties"]?.members ?? [] {
                shape.members[name] = part(property)
            }
            if let others = schema["additionalProperties"], others.members != nil { shape.others = part(others) }
            if let items = schema["items"] { shape.elements.append(part(items)) }
            for item in schema["prefixItems"]?.elements ?? [] { shape.elements.append(part(item)) }
            for keyword in ["anyOf", "oneOf", "allOf"] {
                for alternative in schema[keyword]?.elements ?? [] { shape.alternatives.append(part(alternative)) }
            }
        }

        private mutating func part(_ schema: ContractNode) -> SecretShape {
            let shape = SecretShape()
            read(schema, into: shape)
            return shape
        }

        private mutating func definition(_ name: String) -> SecretShape {
            if let known = definitions[name] { return known }
            let shape = SecretShape()
            definitions[name] = shape
            if let schema = components[name] { unread.append((schema.node, shape)) }
            return shape
        }
    }
}
