import JSONRPC

extension ContractNode {
    /// Whether it is a schema with `allOf` that is not only another name for one schema.
    var combinesSchemas: Bool {
        guard let parts = self["allOf"]?.elements, !parts.isEmpty else { return false }
        return parts.count > 1
            || (members ?? []).contains { !["allOf", "type"].contains($0.name) && !ObjectParts.isNote($0.name) }
    }

    /// Returns one schema with the members of all objects in `allOf`, and of the schema beside it.
    ///
    /// - Parameter reading: the components, to which schemas may refer, and what may still be read.
    /// - Returns: The schema of an object without `allOf`.
    /// - Throws: ``ContractFault``: a part is no schema of an object, or says more than its members.
    func mergingAllOf(_ reading: SchemaReading) throws(ContractFault) -> ContractNode {
        var parts = ObjectParts(reading)
        try parts.add(allOf: self, inside: [])
        var merged: [(name: String, node: ContractNode)] = []
        for member in members ?? [] where member.name != "allOf" && !ObjectParts.keywords.contains(member.name) {
            guard ObjectParts.isNote(member.name) || ObjectParts.countKeywords.contains(member.name) else {
                throw member.node.fault("allOf beside \(member.name)")
            }
            merged.append(member)
        }
        guard parts.isObject else { throw fault("allOf of schemas that are not objects") }
        func made(_ members: [(name: String, node: ContractNode)]) -> ContractNode {
            ContractNode(members: members, pointer: pointer, line: line)
        }
        let type = ContractNode(.string("object"), at: pointer, line: line)
        let object = [(name: "type", node: type), (name: "properties", node: made(parts.properties))]
        let list = ContractNode(elements: parts.required, pointer: pointer, line: line)
        return made(object + (parts.required.isEmpty ? [] : [(name: "required", node: list)]) + merged)
    }
}

/// The members that several schemas of one object list.
private struct ObjectParts {
    /// The keywords that are merged.
    static let keywords: Set = ["type", "properties", "required"]
    /// The keywords that stay beside the merged ones.
    static let countKeywords: Set = ["minProperties", "maxProperties"]

    /// The largest number of components of which each has the next in its `allOf`.
    private static let deepest = 100

    private let reading: SchemaReading
    private(set) var properties: [(name: String, node: ContractNode)] = []
    private(set) var required: [ContractNode] = []
    private(set) var isObject = false
    /// The positions of the properties.
    private var indices: [ExactString: Int] = [:]
    private var requiredNames: Set<ExactString?> = []
    /// The components that have been added, of which each is added once.
    private var added: Set<String> = []

    init(_ reading: SchemaReading) {
        self.reading = reading
    }

    /// Returns whether a keyword says nothing about the values.
    static func isNote(_ keyword: String) -> Bool {
        keyword.hasPrefix("x-")
            || [
                "title", "description", "example", "examples", "default", "deprecated", "readOnly", "writeOnly",
                "nullable", "$comment",
            ].contains(keyword)
    }

    /// Adds the parts of a schema's `allOf`, then the members of the schema itself.
    mutating func add(allOf node: ContractNode, inside path: Set<String>) throws(ContractFault) {
        for part in node["allOf"]?.elements ?? [] { try add(part, inside: path) }
        if let type = node["type"] {
            guard type.text == "object" else { throw type.fault("allOf of schemas that are not objects") }
            isObject = true
        }
        if let listed = node["properties"] {
            guard let members = listed.members else { throw listed.fault("properties that are no map of schemas") }
            isObject = true
            for member in members { try add(member) }
        }
        for name in node["required"]?.elements ?? []
        where requiredNames.insert(name.text.map(ExactString.init)).inserted {
            required.append(name)
        }
    }

    private mutating func add(_ part: ContractNode, inside path: Set<String>) throws(ContractFault) {
        if let reference = part["$ref"] {
            let prefix = ContractSchema.prefix
            let name = reference.text.map { String($0.dropFirst(prefix.count)) } ?? ""
            guard reference.text?.hasPrefix(prefix) == true, let component = reading.components[name] else {
                throw reference.fault("allOf with a reference to no component")
            }
            guard !path.contains(name) else { throw reference.fault("allOf that contains itself") }
            for member in part.members ?? [] where member.name != "$ref" && !Self.isNote(member.name) {
                throw member.node.fault("allOf with \(member.name) beside $ref")
            }
            guard added.insert(name).inserted else { return }
            guard path.count < Self.deepest else {
                throw reference.fault("allOf nested deeper than \(Self.deepest) times")
            }
            return try add(component, inside: path.union([name]))
        }
        guard let members = part.members else { throw part.fault("allOf of schemas that are not objects") }
        for member in members
        where member.name != "allOf" && !Self.keywords.contains(member.name) && !Self.isNote(member.name) {
            throw member.node.fault("allOf with the keyword \(member.name)")
        }
        try add(allOf: part, inside: path)
    }

    private mutating func add(_ property: (name: String, node: ContractNode)) throws(ContractFault) {
        try reading.count(property.node)
        guard let index = indices[ExactString(property.name)] else {
            indices[ExactString(property.name)] = properties.count
            return properties.append(property)
        }
        guard properties[index].node.json == property.node.json else {
            throw property.node.fault("allOf with two different schemas of \(property.name)")
        }
    }
}
