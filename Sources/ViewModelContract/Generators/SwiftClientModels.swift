/// The declarations of a ViewModel type in a generated Swift client.
struct SwiftClientModels {
    private let contract: Contract
    private var types: SwiftClientTypes
    /// The Swift names of the ViewModel types.
    private var names: [String: String] = [:]
    private(set) var declarations: [SwiftClientText] = []

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
    private struct Parts {
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

    private mutating func input(
        _ text: inout SwiftClientText,
        _ input: ContractType.Input,
        _ name: String,
        _ scope: inout SwiftClientScope
    ) {
        let member = scope.take(SwiftClientNames.member(input.name))
        let parameters = self.parameters(input.schema, name + SwiftClientNames.type(input.name), reserved: Self.labels)
        let list = parameters.declarations + ["options: CallOptions = CallOptions()"]
        text.gap()
        text.doc(
            input.description.isEmpty ? "The input `\(input.name)`." : input.description,
            "- Returns: The step from which on the effects are visible."
        )
        text.line("@discardableResult")
        text.function("public func \(SwiftClientNames.code(member))", list, " async throws -> Int") { text in
            let value = self.value(&text, input.schema, parameters)
            text.list(
                "return try await self.client.send",
                ["input: \(Self.method(input.name))"] + value + ["options: options"]
            )
        }
    }

    private mutating func field(
        _ text: inout SwiftClientText,
        _ input: ContractType.Input,
        _ name: String,
        _ scope: inout SwiftClientScope
    ) {
        guard let schema = input.schema else { return }
        let member = scope.take(SwiftClientNames.member(input.name) + "Field")
        let type = types.type(schema, name + SwiftClientNames.type(input.name))
        text.gap()
        text.doc(
            "Returns the field `\(input.name)`, for a text box or another control.",
            "Keep it as long as the control exists."
        )
        text.block("public func \(SwiftClientNames.code(member))() -> RemoteField<\(type)>") { text in
            text.line("client.field(id, \(SwiftClientText.literal(input.name)), of: \(type).self)")
        }
    }

    private mutating func action(
        _ text: inout SwiftClientText,
        _ action: ContractType.Action,
        _ name: String,
        _ failure: String?,
        _ scope: inout SwiftClientScope
    ) {
        let member = scope.take(SwiftClientNames.member(action.name))
        let parameters = self.parameters(
            action.parameters,
            name + SwiftClientNames.type(action.name),
            reserved: Self.labels
        )
        let list = parameters.declarations + ["options: CallOptions = CallOptions()"]
        let result = action.result.map { types.type($0, name + SwiftClientNames.type(action.name) + "Result") }
        let failures = action.failures.map { failure in
            "- `\(failure.error)`\(failure.description.isEmpty ? "" : ": \(SwiftClientText.summary(failure.description))")"
        }
        text.gap()
        text.doc(
            action.description.isEmpty ? "The action `\(action.name)`." : action.description,
            failure.map { failures.isEmpty ? "" : "The declared failures are in ``\($0)``:" } ?? "",
            failures.joined(separator: "\n")
        )
        if result != nil { text.line("@discardableResult") }
        let tail = " async throws" + (result.map { " -> \($0)" } ?? "")
        text.function("public func \(SwiftClientNames.code(member))", list, tail) { text in
            let value = self.value(&text, action.parameters, parameters)
            text.list(
                "\(result == nil ? "" : "return ")try await self.client.run",
                ["action: \(Self.method(action.name))"] + value + ["options: options"]
                    + (result.map { ["returning: \($0).self"] } ?? [])
            )
        }
    }

    /// Appends the code that makes the params of a call, and returns the argument that passes them.
    private func value(
        _ text: inout SwiftClientText,
        _ schema: ContractSchema?,
        _ parameters: Parameters
    ) -> [String] {
        guard schema != nil else { return [] }
        if parameters.isValue { return ["value"] }
        params(&text, "let params = ", parameters)
        return ["params"]
    }

    /// Appends the code that makes the params of a call.
    private func params(_ text: inout SwiftClientText, _ head: String, _ parameters: Parameters) {
        let whole = head + "CallParams()" + parameters.additions.joined()
        if parameters.additions.count < 3 { return text.line(whole) }
        text.line(head + "CallParams()")
        for addition in parameters.additions { text.line("    " + addition) }
    }

    private static let labels: Set<String> = ["options", "params"]

    private static func method(_ member: String) -> String {
        "\"\\(self.id).\(SwiftClientText.literal(member).dropFirst())"
    }

    // MARK: - Params

    /// The parameters of a method, and the code that makes the params of the call.
    private struct Parameters {
        var declarations: [String] = []
        /// The calls that add the members to `CallParams()`.
        var additions: [String] = []
        /// Whether the params are the value itself.
        var isValue = false
    }

    /// Returns the parameters for a value: the members of an object, or the value itself (protocol, section 6).
    private mutating func parameters(_ schema: ContractSchema?, _ hint: String, reserved: Set<String>) -> Parameters {
        guard let schema else { return Parameters() }
        guard case .object(let properties, let others) = contract.components.resolved(schema).rule else {
            let type = types.type(schema, hint)
            return Parameters(
                declarations: ["_ value: \(type)"],
                additions: [".including(\"value\", value)"],
                isValue: isObject(schema)
            )
        }
        if properties.isEmpty, others != nil {
            return Parameters(declarations: ["_ value: \(types.type(schema, hint))"], isValue: true)
        }
        var scope = SwiftClientScope(reserved: reserved)
        var parameters = Parameters()
        // Required parameters stand first, so that the others can be left out.
        for property in properties.filter(\.isRequired) + properties.filter({ !$0.isRequired }) {
            let label = SwiftClientNames.code(scope.take(SwiftClientNames.member(property.name)))
            let type = types.type(property, hint + SwiftClientNames.type(property.name))
            parameters.declarations.append("\(label): \(type)\(type.hasSuffix("?") ? " = nil" : "")")
            let verb = property.isRequired ? "including" : "adding"
            parameters.additions.append(".\(verb)(\(SwiftClientText.literal(property.name)), \(label))")
        }
        return parameters
    }

    /// Returns whether all values are objects, whose members are the params.
    private func isObject(_ schema: ContractSchema) -> Bool {
        switch contract.components.resolved(schema).rule {
        case .object: true
        case .anyOf(let alternatives): !alternatives.isEmpty && alternatives.allSatisfy(isObject)
        default: false
        }
    }

    // MARK: - Outputs

    private mutating func declarePicture(_ type: ContractType, _ name: String, _ picture: String) {
        /// A property of the picture, and the code that reads it.
        struct Member {
            var name: String
            var type: String
            var doc: String
            var read: String
        }
        var scope = SwiftClientScope(reserved: ["hash"])
        var members: [Member] = []
        var actions: Set<String> = []
        for output in type.outputs where output.kind != .event {
            if let action = output.action {
                guard actions.insert(action).inserted else { continue }
                members.append(
                    Member(
                        name: scope.take(SwiftClientNames.member(action)),
                        type: "ActionState",
                        doc: "The state of the action `\(action)`.",
                        read: "action(\(SwiftClientText.literal(action))"
                    )
                )
                continue
            }
            let hint = name + SwiftClientNames.type(output.name)
            var swift = ""
            if output.kind == .list, case .array(let row, _, _) = contract.components.resolved(output.schema).rule {
                swift = "ListRows<\(types.type(row, hint + "Row"))>"
            } else {
                swift = types.type(output.schema, hint)
            }
            members.append(
                Member(
                    name: scope.take(SwiftClientNames.member(output.name)),
                    type: swift,
                    doc: output.description.isEmpty ? "The output `\(output.name)`." : output.description,
                    read: "\(output.kind == .list ? "list" : "state")(\(SwiftClientText.literal(output.name))"
                )
            )
        }
        var text = SwiftClientText()
        text.doc("What `\(name)` shows: the values of its outputs at one step.")
        text.block("public struct \(picture): RemotePicture") { text in
            for member in members {
                text.doc(member.doc)
                text.line("public var \(SwiftClientNames.code(member.name)): \(member.type)")
            }
            text.gap()
            text.doc("Reads the values of a picture.")
            text.block("public init(reading values: PictureReader, after previous: \(picture)?) throws") { text in
                for member in members {
                    let code = SwiftClientNames.code(member.name)
                    let former = member.type.hasSuffix("?") ? "previous.map { $0.\(code) }" : "previous?.\(code)"
                    text.line("self.\(code) = try values.\(member.read), \(former))")
                }
            }
            text.gap()
            text.doc("Creates values, for a preview or a test.")
            let list = members.map { member in
                let standard = member.type.hasSuffix("?") ? " = nil" : ""
                return "\(SwiftClientNames.code(member.name)): \(member.type)\(standard)"
            }
            text.function("public init", list) { text in
                for member in members {
                    text.line("self.\(SwiftClientNames.code(member.name)) = \(SwiftClientNames.code(member.name))")
                }
            }
        }
        declarations.append(text)
    }

    private mutating func declareEvents(_ type: ContractType, _ name: String, _ event: String) {
        var scope = SwiftClientScope(reserved: ["unknown", "hash"])
        let cases = type.outputs.filter { $0.kind == .event }.map { output in
            let hint = name + SwiftClientNames.type(output.name)
            let payload = contract.components.resolved(output.schema).isNull ? nil : types.type(output.schema, hint)
            return (
                name: SwiftClientNames.code(scope.take(SwiftClientNames.member(output.name))),
                wire: SwiftClientText.literal(output.name), payload: payload, output: output
            )
        }
        var text = SwiftClientText()
        text.doc("What happens once in `\(name)`.")
        text.block("public enum \(event): RemoteEvent") { text in
            for one in cases {
                text.doc(one.output.description.isEmpty ? "The event `\(one.output.name)`." : one.output.description)
                text.line("case \(one.name)\(one.payload.map { "(\($0))" } ?? "")")
            }
            text.doc("An event that this contract does not have, or one with a value of another form.")
            text.line("case unknown(OutputEvent)")
            text.gap()
            text.doc("Creates an event from its form on the wire.")
            text.block("public init(_ event: OutputEvent)") { text in
                text.line("switch event.output {")
                for one in cases {
                    if let payload = one.payload {
                        text.line("case \(one.wire):")
                        text.line(
                            "    self = event.decoded(as: \(payload).self).map { .\(one.name)($0) } ?? .unknown(event)"
                        )
                    } else {
                        text.line("case \(one.wire): self = .\(one.name)")
                    }
                }
                text.line("default: self = .unknown(event)")
                text.line("}")
            }
        }
        declarations.append(text)
    }

    private mutating func declareWindows(_ type: ContractType, _ windows: String) {
        var scope = SwiftClientScope(reserved: ["byOutput", "hash"])
        let lists = type.outputs.filter { $0.kind == .list }.map { output in
            (name: SwiftClientNames.code(scope.take(SwiftClientNames.member(output.name))), wire: output.name)
        }
        var text = SwiftClientText()
        text.doc("The rows of the lists to show; a list without a window has all rows.")
        text.block("public struct \(windows): RemoteWindows") { text in
            for list in lists {
                text.doc("The window of `\(list.wire)`.")
                text.line("public var \(list.name): Window?")
            }
            text.gap()
            text.doc("Creates no windows.")
            text.line("public init() {}")
            text.gap()
            text.doc("Creates windows.")
            let parameters = lists.enumerated().map { index, list in
                index == 0 ? "\(list.name): Window?" : "\(list.name): Window? = nil"
            }
            text.function("public init", parameters) { text in
                for list in lists { text.line("self.\(list.name) = \(list.name)") }
            }
            text.gap()
            text.doc("The windows by the names of their lists.")
            text.block("public var byOutput: [String: Window]") { text in
                text.line("var windows: [String: Window] = [:]")
                for list in lists { text.line("windows[\(SwiftClientText.literal(list.wire))] = self.\(list.name)") }
                text.line("return windows")
            }
        }
        declarations.append(text)
    }

    // MARK: - Failures

    private mutating func declareFailures(_ type: ContractType, _ name: String, _ failure: String) {
        var scope = SwiftClientScope(reserved: ["other", "hash"])
        var seen: Set<String> = []
        let cases = type.actions.flatMap(\.failures).filter { seen.insert($0.error).inserted }.map { one in
            (
                name: SwiftClientNames.code(scope.take(SwiftClientNames.member(one.error))),
                wire: SwiftClientText.literal(one.error),
                details: one.details.map { types.type($0, name + SwiftClientNames.type(one.error)) }, failure: one
            )
        }
        var text = SwiftClientText()
        text.doc("The failures that the actions of `\(name)` declare.")
        text.block("public enum \(failure): DeclaredFailure") { text in
            for one in cases {
                text.doc(
                    one.failure.description.isEmpty ? "The failure `\(one.failure.error)`." : one.failure.description,
                    one.failure.isRetryable ? "The same call may succeed later." : ""
                )
                text.line("case \(one.name)\(one.details.map { "(\($0))" } ?? "")")
            }
            text.doc("A failure that the contract does not declare, or one with details of another form.")
            text.line("case other(RemoteFailure)")
            text.gap()
            text.doc("Creates a typed failure.")
            text.block("public init(_ failure: RemoteFailure)") { text in
                text.line("switch failure.error {")
                for one in cases {
                    if let details = one.details {
                        text.line("case \(one.wire):")
                        text.line(
                            "    self = failure.decodedDetails(as: \(details).self).map { .\(one.name)($0) } ?? .other(failure)"
                        )
                    } else {
                        text.line("case \(one.wire): self = .\(one.name)")
                    }
                }
                text.line("default: self = .other(failure)")
                text.line("}")
            }
        }
        declarations.append(text)
    }
}
