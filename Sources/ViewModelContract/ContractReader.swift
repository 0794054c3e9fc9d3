package import ViewModelProtocol

extension Contract {
    /// Reads a document of `rpc.discover`, or one that was written by hand.
    ///
    /// Members that it does not know are ignored, unless their name resembles one that is missing.
    ///
    /// - Parameters:
    ///   - document: the document.
    ///   - isStrict: whether each member that it does not know is an error.
    /// - Throws: ``ContractFault`` with the place of the first error.
    package init(_ document: ContractNode, isStrict: Bool = false) throws(ContractFault) {
        var first: ContractFault?
        let contract = ContractReader(document, isStrict: isStrict) { first = first ?? $0 }.contract()
        if let first { throw first }
        self = contract
    }

    /// Reads the reply of a daemon to `rpc.discover`.
    ///
    /// The daemon may be of another version. What the document names is there: a schema that cannot be read is that of any
    /// value, and an unknown policy or kind is the default one. The ``ContractNode`` has the original.
    package init(ofDaemon document: JSONValue) {
        self = ContractReader(ContractNode(document)) { _ in }.contract()
    }

    /// Reads what the reply of a daemon to `rpc.discover` says of one type, with the components that it refers to.
    ///
    /// The result is nil if the daemon has no such type.
    ///
    /// - Parameters:
    ///   - document: the reply.
    ///   - name: the name of the type.
    package init?(ofDaemon document: JSONValue, type name: String) {
        guard let type = document["x-viewModels"]?[name] else { return nil }
        self.init(ofDaemon: .object(document.contract(of: [name: type]).merging(["info": document["info"] ?? .null])))
    }
}

extension JSONValue {
    /// Returns the part of a document of `rpc.discover` with some of its types and the components that they refer to.
    package func contract(of types: JSONObject) -> JSONObject {
        let schemas = self["components"]?["schemas"]?.objectValue ?? [:]
        var (used, unread) = (JSONObject(), [JSONValue.object(types)])
        while let value = unread.popLast() {
            switch value {
            case .array(let elements): unread += elements
            case .object(let members):
                unread += members.values
                guard let reference = members["$ref"]?.stringValue, reference.hasPrefix(ContractSchema.prefix) else {
                    continue
                }
                let component = String(reference.dropFirst(ContractSchema.prefix.count))
                guard used[component] == nil, let schema = schemas[component] else { continue }
                used[component] = schema
                unread.append(schema)
            default: break
            }
        }
        var contract: JSONObject = ["x-viewModels": .object(types)]
        if !used.isEmpty { contract["components"] = .object(["schemas": .object(used)]) }
        return contract
    }
}

/// A reader of a contract document.
///
/// It calls `refuse` for each fault, and goes on.
struct ContractReader {
    private let document: ContractNode
    private let types: [(name: String, node: ContractNode)]
    private let typeNodes: [String: ContractNode]
    /// The ids of the instances that have methods.
    private let hosted: Set<String>
    /// The ids at which types are children, by their names.
    private let childPaths: [String: [String]]
    let components: ContractComponents
    private let reading: SchemaReading
    let isStrict: Bool
    let refuse: (ContractFault) -> Void

    init(_ document: ContractNode, isStrict: Bool = false, refuse: @escaping (ContractFault) -> Void) {
        self.isStrict = isStrict
        if document.members == nil { refuse(document.fault("expected an OpenRPC document")) }
        let types = document["x-viewModels"]?.members
        if types == nil { refuse(document.fault("expected the member x-viewModels, a map of ViewModel types")) }
        self.document = document
        self.types = types ?? []
        self.refuse = refuse
        typeNodes = Dictionary(self.types.map { ($0.name, $0.node) }) { first, _ in first }
        hosted = Set(
            (document["methods"]?.elements ?? []).compactMap { method in
                method["name"]?.text?.split(separator: ".").first.map(String.init)
            }
        )
        childPaths = Self.childPaths(self.types, typeNodes, refuse)
        let declared = document["components"]?["schemas"]?.members ?? []
        for members in [self.types, declared] {
            var known: Set<String> = []
            for (name, node) in members where !known.insert(name).inserted {
                refuse(node.fault("the name \(name) differs from another one in its Unicode form only"))
            }
        }
        let reading = SchemaReading(declared)
        self.reading = reading
        var schemas = declared.map { (name: $0.name, schema: Self.schema($0.node, reading, refuse)) }
        let read = ContractComponents(schemas)
        let cycles = ComponentCycles(read.names) { read[$0].map(Self.synonyms) ?? [] }
        for (index, (name, component)) in schemas.enumerated() {
            Self.check(references: component, read, refuse)
            // A component that is itself, or one of several types with itself among them, describes no value.
            if cycles.contain(name) {
                refuse(component.node.fault("the schema refers to itself only"))
                schemas[index].schema = .unreadable(component.node)
            }
        }
        components = ContractComponents(schemas)
    }

    /// Returns the components for which a schema stands without a member or an element between them.
    private static func synonyms(_ schema: ContractSchema) -> [String] {
        schema.references { if case .anyOf(let alternatives) = $0.rule { alternatives } else { [] } }
    }

    func contract() -> Contract {
        let information = document["info"]
        var declaredHash = information?["x-contract"]?.text
        // Generators write these texts into comments and literals.
        if let hash = declaredHash, hash.isEmpty || !hash.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) }) {
            let node = information?["x-contract"] ?? document
            refuse(node.fault("expected a hash in lower-case hexadecimal digits"))
            declaredHash = nil
        }
        let types = self.types.map { type($0.name, $0.node) }
        return Contract(
            title: Self.line(information?["title"]?.text),
            version: Self.line(information?["version"]?.text),
            hash: declaredHash ?? ContractHash.of(document: document.json),
            isComplete: declaredHash != nil,
            types: types,
            components: components,
            scenes: scenes(),
            savingClasses: savingClasses(),
            savedValues: document["x-savedValues"]?.json,
            methods: (document["methods"]?.elements ?? []).compactMap { method in
                method["name"]?.text.map { ContractMethod(name: $0, summary: method["summary"]?.text ?? "") }
            },
            indices: Contract.indices(of: types)
        )
    }

    /// Returns a text on one line.
    private static func line(_ text: String?) -> String {
        (text ?? "").split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    private func scenes() -> [ContractScene] {
        guard let scenes = document["x-scenes"] else { return [] }
        if let members = scenes.members {
            return members.map { ContractScene(name: $0.name, instance: $0.node.text ?? $0.node["instance"]?.text) }
        }
        var found: [ContractScene] = []
        for scene in scenes.elements ?? [] {
            guard let name = scene.text ?? (scene["name"] ?? scene["scene"])?.text else {
                refuse(scene.fault("expected a scene with a name"))
                continue
            }
            found.append(ContractScene(name: name, instance: scene["instance"]?.text))
        }
        return found
    }

    private func savingClasses() -> [ContractSavingClass] {
        func names(_ node: ContractNode?) -> [String] { (node?.elements ?? []).compactMap(\.text) }
        return (document["x-savedValues"]?.members ?? []).map { type, node in
            ContractSavingClass(
                name: type,
                formerNames: names(node["formerly"]),
                migrations: (node["migrations"]?.elements ?? []).map(names),
                values: (node["values"]?.members ?? []).map { name, node in
                    ContractSavingClass.Value(
                        name: name,
                        formerNames: names(node["formerly"]),
                        keptFor: node["keptFor"]?.text ?? "",
                        schema: schema("schema", of: node)
                    )
                }
            )
        }
    }

    // MARK: Types

    private func type(_ name: String, _ node: ContractNode) -> ContractType {
        if InstanceID(name).map({ InstanceID.reserved.contains($0.text) }) ?? true {
            let rule = "\(InstanceID.rule), and none of rpc, session, viewModel"
            refuse(node.fault("\(name) is no name for a ViewModel: \(rule)"))
        }
        if node.members == nil { refuse(node.fault("expected a ViewModel type")) }
        checkSpelling(
            node,
            among: [
                "description", "arguments", "inputs", "outputs", "actions", "children", "builtIn", "child", "instance",
            ]
        )
        let actions = members("actions", of: node).map { action($0.name, $0.node) }
        let actionNames = Set(actions.map(\.name))
        let outputs = outputs(of: node, actions, actionNames)
        let states = Dictionary(outputs.filter { $0.kind == .state }.map { ($0.name, $0) }) { first, _ in first }
        var inputs: [ContractType.Input] = []
        for (name, member) in members("inputs", of: node) {
            if actionNames.contains(name) { refuse(member.fault("\(name) is also an action")) }
            inputs.append(input(name, member, states[name]))
        }
        var children: [ContractType.Child] = []
        for (child, member) in members("children", of: node) {
            guard let type = member.text, typeNodes[type] != nil else {
                refuse(member.fault("expected the name of a type in x-viewModels"))
                continue
            }
            children.append(ContractType.Child(name: child, type: type))
        }
        let paths = childPaths[name, default: []]
        return ContractType(
            name: name,
            description: node["description"]?.text ?? "",
            isBuiltIn: node["builtIn"]?.bool ?? InstanceID.builtIn.contains(name),
            instance: instance(of: name, node, isChild: !paths.isEmpty),
            childPaths: paths,
            arguments: arguments(of: node),
            inputs: inputs,
            outputs: outputs,
            actions: actions,
            children: children,
            node: node
        )
    }

    /// Returns the schema of a type's `arguments`; nil for a type that takes none.
    ///
    /// They are an object (protocol, section 5). A schema of any value therefore allows any object.
    private func arguments(of node: ContractNode) -> ContractSchema? {
        guard let declared = schema("arguments", of: node), !declared.isEmptyObject, !declared.isNull else {
            return nil
        }
        let schema = components.resolved(declared).unwrapped ?? declared
        if components.isObject(schema) { return schema }
        guard case .any = components.resolved(schema).rule else {
            refuse(declared.node.fault("expected the schema of an object, because arguments have names"))
            return nil
        }
        return schema.replacing(.object([], others: .unreadable(schema.node)))
    }

    /// Returns the id of a type's default instance, or nil if it exists only as a child.
    ///
    /// A document that does not say it has methods for the instance.
    private func instance(of name: String, _ node: ContractNode, isChild: Bool) -> String? {
        if let declared = node["instance"] { return declared.text }
        return !isChild || hosted.contains(name) ? name : nil
    }

    /// Returns the ids at which types are children, by the names of the types.
    ///
    /// Their number can grow beyond all bounds with the depth, and each is an instance.
    private static func childPaths(
        _ types: [(name: String, node: ContractNode)],
        _ nodes: [String: ContractNode],
        _ refuse: (ContractFault) -> Void
    ) -> [String: [String]] {
        func children(_ type: ContractNode?) -> [(name: String, type: String)] {
            (type?["children"]?.members ?? []).compactMap { child in
                child.node.text.flatMap { nodes[$0] == nil ? nil : (child.name, $0) }
            }
        }
        let cycles = ComponentCycles(types.map(\.name)) { children(nodes[$0]).map(\.type) }
        for (name, node) in types where cycles.contain(name) {
            let child = (node["children"]?.members ?? []).first { child in
                child.node.text.map { $0 == name || cycles.areConnected($0, name) } == true
            }
            refuse((child?.node ?? node).fault("\(name) contains itself"))
        }
        let parts = Set(types.flatMap { children($0.node).map(\.type) })
        var paths: [String: [String]] = [:]
        var count = 0
        for (name, node) in types where !parts.contains(name) || node["instance"]?.text != nil {
            var open = [(type: name, id: name, depth: 0)]
            while let (type, id, depth) = open.popLast() {
                // A type that contains itself ends here.
                guard !cycles.contain(type) else { continue }
                for child in children(nodes[type]).reversed() {
                    count += 1
                    guard count <= ChildLimit.count, depth < ChildLimit.depth else {
                        let levels = "\(ChildLimit.depth) of which each contains the next"
                        let limit = "the limit is \(ChildLimit.count) children, and \(levels)"
                        refuse(node.fault("\(name) has too many children; \(limit)"))
                        return [:]
                    }
                    open.append((child.type, "\(id).\(child.name)", depth + 1))
                }
                if depth > 0 { paths[type, default: []].append(id) }
            }
        }
        return paths
    }

    func members(_ group: String, of node: ContractNode) -> [(name: String, node: ContractNode)] {
        guard let map = node[group] else { return [] }
        guard let members = map.members else {
            refuse(map.fault("expected a map of \(group)"))
            return []
        }
        var names: Set<String> = []
        for member in members {
            // Outputs of actions have a dot.
            let parts = group == "outputs" ? member.name.split(separator: ".", omittingEmptySubsequences: false) : []
            let name = parts.count == 2 ? String(parts[0]) : member.name
            if !Self.isMemberName(name) {
                refuse(member.node.fault("\(member.name) is no name for a member: a-z, then A-Z a-z 0-9"))
            }
            if !names.insert(member.name).inserted {
                refuse(member.node.fault("\(member.name) stands here twice"))
            }
        }
        return members
    }

    /// Returns whether a name is a letter a-z and further letters and digits.
    ///
    /// A regular expression would take a fifth of the time in which a contract is read.
    private static func isMemberName(_ name: String) -> Bool {
        let letters = "abcdefghijklmnopqrstuvwxyz".utf8
        guard let first = name.utf8.first, letters.contains(first) else { return false }
        return name.utf8.allSatisfy { letters.contains($0 | 0x20) || "0123456789".utf8.contains($0) }
    }

    /// Refuses a member whose name is close to one that the node may have and lacks; a strict reader each unknown one.
    func checkSpelling(_ node: ContractNode, among names: [String]) {
        for member in node.members ?? [] where !names.contains(member.name) && !member.name.hasPrefix("x-") {
            if let close = Suggestions.close(to: member.name, among: names).first, node[close] == nil {
                refuse(member.node.fault("there is no member \(member.name); did you mean \(close)?"))
            } else if isStrict {
                let known = names.joined(separator: ", ")
                refuse(member.node.fault("there is no member \(member.name); there are \(known)"))
            }
        }
    }

    func schema(_ name: String, of node: ContractNode) -> ContractSchema? {
        guard let member = node[name] else { return nil }
        if member.json.isNull { return nil }
        let schema = Self.schema(member, reading, refuse)
        Self.check(references: schema, components, refuse)
        return schema
    }

    private static func schema(
        _ node: ContractNode,
        _ reading: SchemaReading,
        _ refuse: (ContractFault) -> Void
    ) -> ContractSchema {
        do throws(ContractFault) {
            return try ContractSchema(node, reading)
        } catch {
            refuse(error)
            return .unreadable(node)
        }
    }

    private static func check(
        references schema: ContractSchema,
        _ components: ContractComponents,
        _ refuse: (ContractFault) -> Void
    ) {
        for name in schema.references where components[name] == nil {
            refuse(schema.node.fault("components.schemas has no \(name)"))
        }
    }
}

/// The limits of the children in a contract.
private enum ChildLimit {
    static let count = 10_000
    static let depth = 64
}

/// What the schemas of a contract have in common while they are read.
final class SchemaReading {
    /// The components by their names.
    let components: [String: ContractNode]
    /// The number of schemas that may still be read.
    private var rest = ContractNode.limit
    private var depth = 0
    /// The largest depth of schemas in each other, which only a contract with `allOf` reaches.
    private static let deepest = 160

    init(_ components: [(name: String, node: ContractNode)]) {
        self.components = Dictionary(components) { $1 }
    }

    /// Counts a schema.
    ///
    /// - Throws: ``ContractFault``: the limit is reached.
    func count(_ node: ContractNode) throws(ContractFault) {
        guard rest > 0 else { throw node.fault(ContractNode.excess) }
        rest -= 1
    }

    /// Reads a schema.
    ///
    /// - Throws: ``ContractFault``: a limit is reached, or the error of `read`.
    func reading<Result>(
        _ node: ContractNode,
        _ read: () throws(ContractFault) -> Result
    ) throws(ContractFault) -> Result {
        try count(node)
        guard depth < Self.deepest else { throw node.fault("allOf repeats schemas deeper than \(Self.deepest) levels") }
        depth += 1
        defer { depth -= 1 }
        return try read()
    }
}
