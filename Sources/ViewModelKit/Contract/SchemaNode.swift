/// A JSON value as an initialiser sees it: what it asks for tells the value's shape.
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
    /// The names of which the initialiser asked whether they are there.
    private var questioned: Set<String> = []
    /// Whether members of any name are read.
    private var isOpen = false
    /// Whether the initialiser asked whether the value is null.
    private(set) var isNull = false

    /// Whether the value was read as a whole.
    var isSingle: Bool {
        if case .single = shape { true } else { false }
    }

    /// The number of elements read.
    var count: Int { elements.count }

    /// The shape as far as it was seen.
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

    /// The value of a member.
    func member(_ key: any CodingKey, required: Bool = true) -> SchemaNode {
        if let index = members.firstIndex(where: { $0.name == key.stringValue }) { return members[index].node }
        let node = SchemaNode()
        members.append(Member(name: key.stringValue, node: node, required: required))
        return node
    }

    /// The value of the next element.
    func element() -> SchemaNode {
        let node = SchemaNode()
        elements.append(node)
        return node
    }
}
