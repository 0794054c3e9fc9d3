package import ViewModelProtocol

extension Contract {
    /// Reads a document of `rpc.discover`, or one that was written by hand.
    ///
    /// Members that it does not know are ignored, unless their name resembles one that is missing.
    ///
    /// - Parameter document: the document.
    /// - Throws: ``ContractFault`` with the place of the first error.
    package init(_ document: ContractNode) throws(ContractFault) {
        let reader = try ContractReader(document) { fault throws(ContractFault) in throw fault }
        self = try reader.contract()
    }

    /// Reads the reply of a daemon to `rpc.discover`.
    ///
    /// The daemon may be of another version. What the document names is there: a schema that cannot be read is that of any
    /// value, and an unknown policy or kind is the default one. The ``ContractNode`` has the original.
    package init(ofDaemon document: JSONValue) {
        self = ContractReader<Never>(ContractNode(document)) { _ in }.contract()
    }
}

/// A reader of a contract document.
///
/// It calls `refuse` for each fault, and goes on if that does not throw.
struct ContractReader<Refusal: Error> {
    private let document: ContractNode
    private let types: [(name: String, node: ContractNode)]
    let components: ContractComponents
    let refuse: (ContractFault) throws(Refusal) -> Void

    init(_ document: ContractNode, refuse: @escaping (ContractFault) throws(Refusal) -> Void) throws(Refusal) {
        if document.members == nil { try refuse(document.fault("expected an OpenRPC document")) }
        let types = document["x-viewModels"]?.members
        if types == nil { try refuse(document.fault("expected the member x-viewModels, a map of ViewModel types")) }
        self.document = document
        self.types = types ?? []
        self.refuse = refuse
        var schemas: [(name: String, schema: ContractSchema)] = []
        let declared = document["components"]?["schemas"]
        for member in declared?.members ?? [] {
            schemas.append((member.name, try Self.schema(member.node, declared, refuse)))
        }
        let read = ContractComponents(schemas)
        for (index, (name, component)) in schemas.enumerated() {
            try Self.check(references: component, read, refuse)
            // A component that is itself, or one of several types with itself among them, describes no value.
            if Self.isReached(name, from: component, in: read) {
                try refuse(component.node.fault("the schema refers to itself only"))
                schemas[index].schema = .unreadable(component.node)
            }
        }
        components = ContractComponents(schemas)
    }

    /// Returns whether a schema stands for a component without a member or an element between them.
    private static func isReached(
        _ name: String,
        from schema: ContractSchema,
        in components: ContractComponents,
        passing passed: Set<String> = []
    ) -> Bool {
        switch schema.rule {
        case .reference(name): true
        case .reference(let next):
            !passed.contains(next)
                && components[next].map { isReached(name, from: $0, in: components, passing: passed.union([next])) }
                    == true
        case .anyOf(let alternatives):
            alternatives.contains { isReached(name, from: $0, in: components, passing: passed) }
        default: false
        }
    }

    func contract() throws(Refusal) -> Contract {
        var read: [ContractType] = []
        for (name, node) in types { read.append(try type(name, node)) }
        let information = document["info"]
        var declaredHash = information?["x-contract"]?.text
        // Generators write these texts into comments and literals.
        if let hash = declaredHash, hash.isEmpty || !hash.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) }) {
            let node = information?["x-contract"] ?? document
            try refuse(node.fault("expected a hash in lower-case hexadecimal digits"))
            declaredHash = nil
        }
        return Contract(
            title: Self.line(information?["title"]?.text),
            version: Self.line(information?["version"]?.text),
            hash: declaredHash ?? ContractHash.of(document: document.json),
            isComplete: declaredHash != nil,
            types: read,
            components: components,
            scenes: try scenes(),
            methods: (document["methods"]?.elements ?? []).compactMap { method in
                method["name"]?.text.map { ContractMethod(name: $0, summary: method["summary"]?.text ?? "") }
            }
        )
    }

    /// Returns a text on one line.
    private static func line(_ text: String?) -> String {
        (text ?? "").split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    private func scenes() throws(Refusal) -> [ContractScene] {
        guard let scenes = document["x-scenes"] else { return [] }
        if let members = scenes.members {
            return members.map { ContractScene(name: $0.name, instance: $0.node.text ?? $0.node["instance"]?.text) }
        }
        var found: [ContractScene] = []
        for scene in scenes.elements ?? [] {
            guard let name = scene.text ?? (scene["name"] ?? scene["scene"])?.text else {
                try refuse(scene.fault("expected a scene with a name"))
                continue
            }
            found.append(ContractScene(name: name, instance: scene["instance"]?.text))
        }
        return found
    }

    // MARK: Types

    private func type(_ name: String, _ node: ContractNode) throws(Refusal) -> ContractType {
        if InstanceID(name).map({ InstanceID.reserved.contains($0.text) }) ?? true {
            let rule = "\(InstanceID.rule), and none of rpc, session, viewModel"
            try refuse(node.fault("\(name) is no name for a ViewModel: \(rule)"))
        }
        if node.members == nil { try refuse(node.fault("expected a ViewModel type")) }
        try checkSpelling(
            node,
            among: [
                "description", "arguments", "inputs", "outputs", "actions", "children", "builtIn", "child", "instance",
            ]
        )
        var actions: [ContractType.Action] = []
        for (name, member) in try members("actions", of: node) { actions.append(try action(name, member)) }
        let outputs = try outputs(of: node, actions)
        var inputs: [ContractType.Input] = []
        for (name, member) in try members("inputs", of: node) {
            if actions.contains(where: { $0.name == name }) { try refuse(member.fault("\(name) is also an action")) }
            inputs.append(try input(name, member, outputs))
        }
        var children: [ContractType.Child] = []
        for (child, member) in try members("children", of: node) {
            guard let type = member.text, types.contains(where: { $0.name == type }) else {
                try refuse(member.fault("expected the name of a type in x-viewModels"))
                continue
            }
            children.append(ContractType.Child(name: child, type: type))
        }
        try checkCycle(name, node, inside: [])
        let paths = childPaths(of: name)
        return ContractType(
            name: name,
            description: node["description"]?.text ?? "",
            isBuiltIn: node["builtIn"]?.json.boolValue ?? InstanceID.builtIn.contains(name),
            instance: instance(of: name, node, isChild: !paths.isEmpty),
            childPaths: paths,
            arguments: try arguments(of: node),
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
    private func arguments(of node: ContractNode) throws(Refusal) -> ContractSchema? {
        guard let declared = try schema("arguments", of: node), !declared.isEmptyObject, !declared.isNull else {
            return nil
        }
        let schema = components.resolved(declared).unwrapped ?? declared
        if components.isObject(schema) { return schema }
        guard case .any = components.resolved(schema).rule else {
            try refuse(declared.node.fault("expected the schema of an object, because arguments have names"))
            return nil
        }
        return schema.replacing(.object([], others: .unreadable(schema.node)))
    }

    private func checkCycle(
        _ name: String,
        _ node: ContractNode,
        inside path: [String]
    ) throws(Refusal) {
        guard !path.contains(name) else { return try refuse(node.fault("\(name) contains itself")) }
        for child in node["children"]?.members ?? [] {
            guard let type = types.first(where: { $0.name == child.node.text }) else { continue }
            try checkCycle(type.name, child.node.text == name ? child.node : type.node, inside: path + [name])
        }
    }

    /// Returns the id of a type's default instance, or nil if it exists only as a child.
    ///
    /// A document that does not say it has methods for the instance.
    private func instance(of name: String, _ node: ContractNode, isChild: Bool) -> String? {
        if let declared = node["instance"] { return declared.text }
        guard isChild else { return name }
        let methods = (document["methods"]?.elements ?? []).compactMap { $0["name"]?.text }
        return methods.contains { $0.split(separator: ".").first.map(String.init) == name } ? name : nil
    }

    /// Returns the ids at which a type is a child.
    private func childPaths(of name: String) -> [String] {
        func paths(_ type: (name: String, node: ContractNode), at id: String, inside: Set<String>) -> [String] {
            // A type that contains itself ends here.
            guard !inside.contains(type.name) else { return [] }
            return (type.node["children"]?.members ?? []).flatMap { child -> [String] in
                guard let inner = types.first(where: { $0.name == child.node.text }) else { return [] }
                let path = "\(id).\(child.name)"
                return (inner.name == name ? [path] : []) + paths(inner, at: path, inside: inside.union([type.name]))
            }
        }
        let children = Set(types.flatMap { $0.node["children"]?.members ?? [] }.compactMap(\.node.text))
        return types.filter { !children.contains($0.name) || $0.node["instance"]?.text != nil }
            .flatMap { paths($0, at: $0.name, inside: []) }
    }

    func members(
        _ group: String,
        of node: ContractNode
    ) throws(Refusal) -> [(name: String, node: ContractNode)] {
        guard let map = node[group] else { return [] }
        guard let members = map.members else {
            try refuse(map.fault("expected a map of \(group)"))
            return []
        }
        var names: Set<String> = []
        for member in members {
            // Outputs of actions have a dot.
            let parts = group == "outputs" ? member.name.split(separator: ".", omittingEmptySubsequences: false) : []
            let name = parts.count == 2 ? String(parts[0]) : member.name
            if !Self.isMemberName(name) {
                try refuse(member.node.fault("\(member.name) is no name for a member: a-z, then A-Z a-z 0-9"))
            }
            if !names.insert(member.name).inserted {
                try refuse(member.node.fault("\(member.name) stands here twice"))
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

    /// Refuses a member whose name is close to one that the node may have and lacks.
    func checkSpelling(_ node: ContractNode, among names: [String]) throws(Refusal) {
        for member in node.members ?? [] where !names.contains(member.name) && !member.name.hasPrefix("x-") {
            if let close = Suggestions.close(to: member.name, among: names).first, node[close] == nil {
                try refuse(member.node.fault("there is no member \(member.name); did you mean \(close)?"))
            }
        }
    }

    func schema(_ name: String, of node: ContractNode) throws(Refusal) -> ContractSchema? {
        guard let member = node[name] else { return nil }
        if case .null = member.value { return nil }
        let schema = try Self.schema(member, document["components"]?["schemas"], refuse)
        try Self.check(references: schema, components, refuse)
        return schema
    }

    private static func schema(
        _ node: ContractNode,
        _ components: ContractNode?,
        _ refuse: (ContractFault) throws(Refusal) -> Void
    ) throws(Refusal) -> ContractSchema {
        let fault: ContractFault
        do throws(ContractFault) {
            return try ContractSchema(node, components: components)
        } catch {
            fault = error
        }
        try refuse(fault)
        return .unreadable(node)
    }

    private static func check(
        references schema: ContractSchema,
        _ components: ContractComponents,
        _ refuse: (ContractFault) throws(Refusal) -> Void
    ) throws(Refusal) {
        for name in schema.references where components[name] == nil {
            try refuse(schema.node.fault("components.schemas has no \(name)"))
        }
    }
}
