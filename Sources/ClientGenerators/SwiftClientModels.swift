import ViewModelContract

struct SwiftClientModels {
    typealias Values = GeneratedTemplate.Values

    let contract: Contract
    var types: SwiftClientTypes
    private var names: [String: String] = [:]
    /// The properties of the client, by the ids of the default instances.
    private let properties: [String: String]
    /// The types of the outputs in pictures, by their paths.
    var valueTypes: [String: String] = [:]
    /// The types.
    private(set) var models: [Values] = []

    init(_ contract: Contract) {
        self.contract = contract
        var scope = SwiftClientScope(reserved: SwiftClientNames.types)
        // A type takes its name and those of its parts before any value does.
        for (type, name) in zip(contract.types, scope.types(contract.types.map(\.name))) { names[type.name] = name }
        types = SwiftClientTypes(contract, scope: scope)
        let hosted = contract.types.compactMap(\.instance)
        var attributes = SwiftClientScope(reserved: SwiftClientNames.clientMembers)
        properties = Dictionary(zip(hosted, attributes.members(hosted))) { $1 }
        types.declareComponents()
        for type in contract.types { add(type) }
    }

    var instances: [Values] {
        contract.types.compactMap { type in
            guard let name = names[type.name], let instance = type.instance else { return nil }
            return [
                "doc": SwiftClientText.doc("The instance `\(instance)`."), "type": name,
                "name": SwiftClientNames.code(properties[instance, default: instance]),
            ]
        }
    }

    private mutating func add(_ type: ContractType) {
        guard let name = names[type.name] else { return }
        let picture = types.scope.add(name + "Picture")
        let event = type.outputs.contains { $0.kind == .event } ? types.scope.add(name + "Event") : nil
        let windows = type.outputs.contains { $0.kind == .list } ? types.scope.add(name + "Windows") : nil
        let failure = type.actions.contains { !$0.failures.isEmpty } ? types.scope.add(name + "Failure") : nil
        let observable = types.scope.add(name + "Model")
        let given = [
            ("", name), ("picture", picture), ("events", event), ("windows", windows), ("failures", failure),
            ("model", observable),
            ("attribute", type.instance.flatMap { properties[$0] }),
        ]
        for case (let role, let name?) in given { types.given.add(name, at: type.name, role) }
        var model = model(type, name, failure)
        model["picture"] = picture
        model["event"] = event ?? "OutputEvent"
        model["windows"] = windows ?? "NoWindows"
        var parts: Values = ["model": [model], "picture": [self.picture(of: type, name, picture)]]
        parts["observable"] = [self.observable(of: type, name, observable)]
        if let event { parts["events"] = [events(of: type, name, event)] }
        if let windows { parts["windows"] = [self.windows(of: type, windows)] }
        if let failure { parts["failures"] = [failures(of: type, name, failure)] }
        models.append(parts)
    }

    // MARK: - The ViewModel

    private mutating func model(_ type: ContractType, _ name: String, _ failure: String?) -> Values {
        var scope = SwiftClientScope(reserved: SwiftClientNames.viewModelMembers)
        let create = creation(of: type, name)
        let names = scope.members(of: type, as: name, type.memberNames, &types.given)
        let children = zip(type.children, names).compactMap { child($0, $1.name) }
        let inputs = zip(type.inputs, names.dropFirst(type.children.count))
        var methods = inputs.map { method($0, $1) }
        for (input, member) in inputs where input.isField {
            let field = scope.add(SwiftClientNames.member(input.name) + "Field")
            types.given.add(field, at: member.path.text, "field")
            if let field = self.field(input, (member.path, field)) { methods.append(field) }
        }
        methods += zip(type.actions, names.suffix(type.actions.count)).map { method($0, $1, failure) }
        let paths = type.childPaths.map { "`\($0)`" }.joined(separator: ", ")
        return [
            "doc": SwiftClientText.doc(
                type.description.isEmpty ? "The ViewModel type `\(type.name)`." : type.description,
                paths.isEmpty ? "" : "Instances: " + paths
            ),
            "name": name, "wire": SwiftClientText.literal(type.name), "create": create, "children": children,
            "standard": type.instance.map { " = " + SwiftClientText.literal($0) } ?? "", "members": methods,
        ]
    }

    /// A child, an input or an action, with its Swift name.
    typealias Member = (path: SchemaPath, name: String)

    private mutating func creation(of type: ContractType, _ name: String) -> [Values] {
        // A built-in type, and one that exists only as a child, cannot be created.
        guard !type.isBuiltIn, type.instance != nil else { return [] }
        let path = SchemaPath(text: "\(type.name).arguments", hint: name + "Arguments")
        let parameters = self.parameters(type.arguments, path, reserved: ["client", "id", "params"])
        let list = ["_ client: ViewModelClient", "id: String? = nil"] + parameters.declarations
        let signature = SwiftClientText.list(
            "public static func create",
            list,
            " async throws -> \(name) {",
            depth: 1
        )
        let hasMembers = !parameters.additions.isEmpty
        let arguments = parameters.isValue ? ", value" : hasMembers ? ", params" : ""
        return [["signature": signature, "params": hasMembers ? parameters.code : "", "arguments": arguments]]
    }

    private func child(_ child: ContractType.Child, _ member: String) -> Values? {
        guard let type = names[child.type] else { return nil }
        return [
            "doc": SwiftClientText.doc("The child `\(child.name)`."), "name": SwiftClientNames.code(member),
            "type": type, "id": "\"\\(id).\(SwiftClientText.literal(child.name).dropFirst())",
        ]
    }
}
