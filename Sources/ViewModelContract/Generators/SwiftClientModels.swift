/// The declarations of a ViewModel type in a generated Swift client.
struct SwiftClientModels {
    let contract: Contract
    var types: SwiftClientTypes
    /// The Swift names of the ViewModel types.
    private var names: [String: String] = [:]
    var declarations: [SwiftClientText] = []

    init(_ contract: Contract) {
        self.contract = contract
        var scope = SwiftClientScope(reserved: SwiftClientScope.types)
        for type in contract.types {
            // A type takes its name and those of its parts before any value does.
            let name = scope.take(SwiftClientNames.type(type.name))
            names[type.name] = name
        }
        types = SwiftClientTypes(contract, scope: scope)
        types.declareComponents()
        for type in contract.types { declare(type) }
    }

    /// The declarations of the values.
    var values: [SwiftClientText] { types.declarations }

    /// The extension of the client with a property for each default instance.
    var accessors: SwiftClientText {
        var text = SwiftClientText()
        var scope = SwiftClientScope(reserved: SwiftClientScope.clientMembers)
        text.block("extension ViewModelClient") { text in
            for type in contract.types {
                guard let name = names[type.name], let instance = type.instance else { continue }
                text.gap()
                text.doc("The instance `\(instance)`.")
                let member = SwiftClientNames.code(scope.take(SwiftClientNames.member(instance)))
                text.line("public nonisolated var \(member): \(name) { \(name)(self) }")
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
            for child in type.children { self.child(&text, child, &scope) }
            for input in type.inputs { self.input(&text, input, name, &scope) }
            for input in type.inputs where input.isField { field(&text, input, name, &scope) }
            for action in type.actions { self.action(&text, action, name, parts.failure, &scope) }
        }
        declarations.append(text)
    }

    private mutating func create(_ text: inout SwiftClientText, _ type: ContractType, _ name: String) {
        // A built-in type, and one that exists only as a child, cannot be created.
        guard !type.isBuiltIn, type.instance != nil else { return }
        let parameters = self.parameters(type.arguments, name + "Arguments", reserved: ["client", "id", "params"])
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

    private func child(_ text: inout SwiftClientText, _ child: ContractType.Child, _ scope: inout SwiftClientScope) {
        guard let type = names[child.type] else { return }
        let member = SwiftClientNames.code(scope.take(SwiftClientNames.member(child.name)))
        text.gap()
        text.doc("The child `\(child.name)`.")
        let id = "\"\\(id).\(SwiftClientText.literal(child.name).dropFirst())"
        text.line("public var \(member): \(type) { \(type)(client, id: \(id)) }")
    }
}
