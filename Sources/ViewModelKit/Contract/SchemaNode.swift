/// A JSON value as an initialiser reads it.
///
/// The reads show the value's schema.
final class SchemaNode {
    private enum Shape {
        case unread
        case keyed
        case unkeyed
        case single(Schema)
    }

    private struct Member {
        var name: String
        var node: SchemaNode
        var required: Bool
    }

    private var shape = Shape.unread
    private var members: [Member] = []
    private var elements: [SchemaNode] = []
    /// The names whose presence the initialiser has checked.
    private var questioned: Set<String> = []
    /// Whether members of any name are read.
    private var isOpen = false
    /// Whether the initialiser has checked for null.
    private(set) var isNull = false

    /// Whether the value was read as a single value.
    var isSingle: Bool {
        if case .single = shape { true } else { false }
    }

    /// The number of elements read.
    var count: Int { elements.count }

    /// The schema as far as the reads have shown it.
    var schema: Schema {
        switch shape {
        case .unread: .object([])
        case .single(let schema): schema
        case .unkeyed: elements.isEmpty ? .array(.any) : .array(.either(elements.map(\.schemaOrNull)))
        case .keyed where isOpen:
            members.isEmpty ? .dictionary(.any) : .dictionary(.either(members.map(\.node.schemaOrNull)))
        case .keyed:
            .object(
                members.map { member in
                    Schema.Property(
                        member.name,
                        member.required ? member.node.schemaOrNull : member.node.schemaOrNull.orNull,
                        required: member.required && !questioned.contains(member.name)
                    )
                }
            )
        }
    }

    private var schemaOrNull: Schema { isNull ? schema.orNull : schema }

    func readKeyed() { shape = .keyed }
    func readUnkeyed() { shape = .unkeyed }
    func readNull() { isNull = true }
    func read(_ schema: Schema) { shape = .single(schema) }
    func readAnyKey() { isOpen = true }
    func question(_ key: any CodingKey) { questioned.insert(key.stringValue) }

    /// Returns the value of a member.
    func member(_ key: any CodingKey, required: Bool = true) -> SchemaNode {
        if let index = members.firstIndex(where: { $0.name == key.stringValue }) { return members[index].node }
        let node = SchemaNode()
        members.append(Member(name: key.stringValue, node: node, required: required))
        return node
    }

    /// Returns the value of the next element.
    func element() -> SchemaNode {
        let node = SchemaNode()
        elements.append(node)
        return node
    }
}
