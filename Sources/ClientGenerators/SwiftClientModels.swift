import ViewModelContract

/// The declarations of a ViewModel type in a generated Swift client.
struct SwiftClientModels {
    let contract: Contract
    var types: SwiftClientTypes
    /// The Swift names of the ViewModel types.
    private var names: [String: String] = [:]
    /// The properties of the client, by the ids of the default instances.
    private let properties: [String: String]
    var declarations: [SwiftClientText] = []

    init(_ contract: Contract) {
        self.contract = contract
        var scope = SwiftClientScope(reserved: SwiftClientScope.types)
        // A type takes its name and those of its parts before any value does.
        for (type, name) in zip(contract.types, scope.types(contract.types.map(\.name))) { names[type.name] = name }
        types = SwiftClientTypes(contract, scope: scope)
        let hosted = contract.types.compactMap(\.instance)
        var attributes = SwiftClientScope(reserved: SwiftClientScope.clientMembers)
        properties = Dictionary(zip(hosted, attributes.members(hosted))) { $1 }
        types.declareComponents()
        for type in contract.types { declare(type) }
    }

    /// The declarations of the values.
    var values: [SwiftClientText] { types.declarations }

    /// The extension of the client with a property for each default instance.
    var accessors: SwiftClientText {
        var text = SwiftClientText()
        text.block("extension ViewModelClient") { text in
            for type in contract.types {
                guard let name = names[type.name], let instance = type.instance else { continue }
                text.gap()
                text.doc("The instance `\(instance)`.")
                let member = SwiftClientNames.code(properties[instance, default: instance])
                text.line("public nonisolated var \(member): \(name) { .init(self) }")
            }
        }
        return text
    }

    private mutating func declare(_ type: ContractType) {
        guard let name = names[type.name] else { return }
        let parts = Parts(
            picture: types.take(name + "Picture"),
            event: type.outputs.contains { $0.kind == .event } ? types.take(name + "Event") : nil,
            windows: type.outputs.contains { $0.kind == .list } ? types.take(name + "Windows") : nil,
            failure: type.actions.contains { !$0.failures.isEmpty } ? types.take(name + "Failure") : nil
        )
        let given = [
            ("", name), ("picture", parts.picture), ("events", parts.event), ("windows", parts.windows),
            ("failures", parts.failure), ("attribute", type.instance.flatMap { properties[$0] }),
        ]
        for case (let role, let name?) in given { types.given.add(name, at: type.name, role) }
        declareModel(type, name, parts)
        declarePicture(type, name, parts.picture)
        if let event = parts.event { declareEvents(type, name, event) }
        if let windows = parts.windows { declareWindows(type, windows) }
        if let failure = parts.failure { declareFailures(type, name, failure) }
    }

    /// The names of the types that belong to a ViewModel type.
    struct Parts {
        var picture: String
        var event: String?
        var windows: String?
        var failure: String?
    }

    // MARK: - The ViewModel

    private mutating func declareModel(_ type: ContractType, _ name: String, _ parts: Parts) {
        var text = SwiftClientText()
        var scope = SwiftClientScope(reserved: SwiftClientScope.viewModelMembers)
        let place =
            type.childPaths.isEmpty ? "" : "Instances: " + type.childPaths.map { "`\($0)`" }.joined(separator: ", ")
        text.doc(type.description.isEmpty ? "The ViewModel type `\(type.name)`." : type.description, place)
        text.block("public struct \(name): RemoteViewModel") { text in
            text.doc("The values of the outputs.")
            text.line("public typealias Picture = \(parts.picture)")
            text.doc("The events.")
            text.line("public typealias Event = \(parts.event ?? "OutputEvent")")
            text.doc("The windows of the lists.")
            text.line("public typealias Windows = \(parts.windows ?? "NoWindows")")
            text.gap()
            text.doc("The name of the type on the wire.")
            text.line("public static let typeName = \(SwiftClientText.literal(type.name))")
            text.doc("The client whose session has the instance.")
            text.line("public let client: ViewModelClient")
            text.doc("The instance's id.")
            text.line("public let id: String")
            text.gap()
            text.doc("Creates a reference to an instance.")
            let standard = type.instance.map { " = " + SwiftClientText.literal($0) } ?? ""
            text.block("public init(_ client: ViewModelClient, id: String\(standard))") { text in
                text.line("self.client = client")
                text.line("self.id = id")
            }
            create(&text, type, name)
            let members = members(of: type, name, &scope)
            for (child, member) in zip(type.children, members) { self.child(&text, child, member.name) }
            let inputs = members.dropFirst(type.children.count)
            for (input, member) in zip(type.inputs, inputs) { self.input(&text, input, member) }
            for (input, member) in zip(type.inputs, inputs) where input.isField {
                let field = scope.take(SwiftClientNames.member(input.name) + "Field")
                types.given.add(field, at: member.place.path, "field")
                self.field(&text, input, Member(name: field, place: member.place))
            }
            for (action, member) in zip(type.actions, members.suffix(type.actions.count)) {
                self.action(&text, action, member, parts.failure)
            }
        }
        declarations.append(text)
    }

    /// A child, an input or an action, with its Swift name.
    struct Member {
        let name: String
        let place: GeneratedPlace
    }

    /// Returns the children, the inputs and the actions of a type.
    private mutating func members(
        of type: ContractType,
        _ name: String,
        _ scope: inout SwiftClientScope
    ) -> [Member] {
        let groups = [
            ("children", type.children.map(\.name)), ("inputs", type.inputs.map(\.name)),
            ("actions", type.actions.map(\.name)),
        ]
        let places = groups.flatMap { group, members in
            members.map { member in
                GeneratedPlace(path: "\(type.name).\(group).\(member)", hint: name + SwiftClientNames.type(member))
            }
        }
        let names = scope.members(groups.flatMap(\.1))
        return zip(names, places).map { name, place in
            types.given.add(name, at: place.path)
            return Member(name: name, place: place)
        }
    }

    private mutating func create(_ text: inout SwiftClientText, _ type: ContractType, _ name: String) {
        // A built-in type, and one that exists only as a child, cannot be created.
        guard !type.isBuiltIn, type.instance != nil else { return }
        let place = GeneratedPlace(path: "\(type.name).arguments", hint: name + "Arguments")
        let parameters = self.parameters(type.arguments, place, reserved: ["client", "id", "params"])
        text.gap()
        text.doc(
            "Creates an instance, or finds the one with this id.",
            "Without an id the daemon makes one. The arguments of an instance that exists are ignored."
        )
        let list = ["_ client: ViewModelClient", "id: String? = nil"] + parameters.declarations
        text.function("public static func create", list, " async throws -> \(name)") { text in
            if !parameters.additions.isEmpty { params(&text, "let params = ", parameters) }
            let arguments = parameters.isValue ? ", value" : parameters.additions.isEmpty ? "" : ", params"
            text.line("return \(name)(client, id: try await client.createInstance(of: typeName, id: id\(arguments)))")
        }
    }

    private func child(_ text: inout SwiftClientText, _ child: ContractType.Child, _ member: String) {
        guard let type = names[child.type] else { return }
        text.gap()
        text.doc("The child `\(child.name)`.")
        let id = "\"\\(id).\(SwiftClientText.literal(child.name).dropFirst())"
        text.line("public var \(SwiftClientNames.code(member)): \(type) { \(type)(client, id: \(id)) }")
    }
}
