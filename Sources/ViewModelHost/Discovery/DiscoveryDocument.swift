import ViewModelContract
import ViewModelKit
import ViewModelProtocol

/// The OpenRPC 1.3 document that `rpc.discover` returns (protocol, section 9).
struct DiscoveryDocument {
    private let host: Host
    private var schemas = SchemaDocument()

    init(host: Host) {
        self.host = host
    }

    /// The document as JSON text.
    struct Text {
        let text: [UInt8]
        /// The hash of the contract in it.
        let hash: String
    }

    /// Returns the document with its hash.
    func text() -> Text {
        var document = self
        let (members, contract) = document.make()
        let hash = ContractHash.of(document: JSONValue(text: DocumentValue.object(contract).text) ?? .null)
        let information: [(String, DocumentValue)] = [
            ("title", .string(host.name)),
            ("version", .string(host.version)),
            ("description", .string("ViewModels behind a JSON-RPC 2.0 Unix socket; protocol version 1.")),
            ("x-contract", .string(hash)),
        ]
        let whole = DocumentValue.object(
            [("openrpc", .string("1.3.2")), ("info", .object(information))] + members + contract
        )
        return Text(text: whole.text, hash: hash)
    }

    /// Returns the members of the document after `info`: those before the contract, and the contract.
    private mutating func make() -> (members: [(String, DocumentValue)], contract: [(String, DocumentValue)]) {
        var methods = ProtocolMethods.all.map { describe($0.type) }
        let hosted = host.builtInTypes + host.typeOrder.filter(\.isDescribed)
        for type in hosted {
            methods.append(contentsOf: describeMembers(of: type, at: type.name))
        }
        let types = hosted.flatMap(Self.withChildren)
        var described: [(String, DocumentValue)] = []
        for type in types where !described.contains(where: { $0.0 == type.name }) {
            described.append((type.name, describe(type)))
        }
        let notifications = ProtocolMethods.notifications.map { notification in
            DocumentValue.object([
                ("name", .string(notification.name)),
                ("summary", .string(notification.summary)),
                ("params", .array(descriptors(of: Schema(notification.paramsSchema)))),
            ])
        }
        var contract: [(String, DocumentValue)] = [("x-viewModels", .object(described))]
        if !schemas.definitions.isEmpty {
            contract.append(("components", .object([("schemas", .object(schemas.definitions))])))
        }
        return ([("methods", .array(methods)), ("x-notifications", .array(notifications))], contract)
    }

    private static func withChildren(_ type: HostedType) -> [HostedType] {
        [type] + type.children.flatMap { withChildren($0.type) }
    }

    // MARK: Methods

    private mutating func describe(_ method: any DescribedMethod.Type) -> DocumentValue {
        self.method(
            method.name,
            description: method.summary,
            structure: "by-name",
            params: descriptors(of: Schema(method.paramsSchema)),
            result: schemas.describe(Schema(method.resultSchema)),
            errors: Self.errors(method.errors)
        )
    }

    private mutating func describeMembers(of type: HostedType, at id: String) -> [DocumentValue] {
        var methods: [DocumentValue] = []
        for input in type.contract.inputs {
            let value = input.contract.shape.schema
            methods.append(
                method(
                    "\(id).\(input.name)",
                    description: input.description,
                    structure: value?.isObject == true ? "by-name" : "either",
                    params: descriptors(of: value),
                    result: schemas.describe(Schema(InputReply.schema)),
                    errors: Self.errors([.invalidParams])
                )
            )
        }
        for action in type.contract.actions {
            let busy: [ErrorCode] = action.contract.policy.kind == .exclusive ? [.executing] : []
            let parameters = action.contract.parameters.schema
            methods.append(
                method(
                    "\(id).\(action.name)",
                    description: action.description,
                    structure: parameters?.isObject == true ? "by-name" : "either",
                    params: descriptors(of: parameters),
                    result: schemas.describe(action.contract.result.schema ?? .null),
                    errors: Self.errors([.invalidParams]) + failures(of: action.contract)
                        + Self.errors([.disabled] + busy + [.deadlinePassed, .cancelled])
                )
            )
        }
        for child in type.children {
            methods.append(contentsOf: describeMembers(of: child.type, at: "\(id).\(child.name)"))
        }
        return methods
    }

    private func method(
        _ name: String,
        description: String,
        structure: String,
        params: [DocumentValue],
        result: DocumentValue,
        errors: [DocumentValue]
    ) -> DocumentValue {
        .object([
            ("name", .string(name)),
            ("summary", .string(Self.summary(of: description, or: name))),
            ("description", .string(description)),
            ("paramStructure", .string(structure)),
            ("params", .array(params)),
            ("result", .object([("name", .string("result")), ("schema", result)])),
            (
                "errors",
                .array(errors + Self.errors(ErrorCode.common))
            ),
        ])
    }

    /// Returns the errors for the failures of an action: the declared ones, and one for the others.
    private mutating func failures(of action: ActionContract) -> [DocumentValue] {
        action.failures().map { failure in
            let data: [(String, DocumentValue)] = [
                ("error", .string(failure.error)),
                ("details", failure.details.map { schemas.describe($0) } ?? .null),
                ("retryable", .bool(failure.retryable)),
            ]
            let message = failure.description.isEmpty ? ErrorCode.actionFailed.meaning : failure.description
            return Self.error(.actionFailed, message, data: .object(data))
        } + [Self.error(.actionFailed, ErrorCode.actionFailed.meaning)]
    }

    private static func errors(_ codes: [ErrorCode]) -> [DocumentValue] {
        codes.map { error($0, $0.meaning) }
    }

    private static func error(_ code: ErrorCode, _ message: String, data: DocumentValue? = nil) -> DocumentValue {
        .object(
            [("code", .integer(Int128(code.rawValue))), ("message", .string(message))]
                + (data.map { [("data", $0)] } ?? [])
        )
    }

    /// Returns the first sentence of a description.
    private static func summary(of description: String, or name: String) -> String {
        guard !description.isEmpty else { return name }
        let paragraph = description.prefix { $0 != "\n" }
        guard let end = paragraph.firstRange(of: ". ") else { return String(paragraph) }
        return String(paragraph[..<end.lowerBound]) + "."
    }

    /// Returns the params by name: the members of an object, else the one member `value`.
    private mutating func descriptors(of schema: Schema?) -> [DocumentValue] {
        guard var schema else { return [] }
        let whole = schema
        if case .document(_, let inner) = schema { schema = inner }
        if case .object(let properties) = schema {
            return properties.map { descriptor($0.name, schemas.describe($0.schema), required: $0.required) }
        }
        return [descriptor("value", schemas.describe(whole), required: true)]
    }

    private func descriptor(_ name: String, _ schema: DocumentValue, required: Bool) -> DocumentValue {
        .object([("name", .string(name)), ("required", .bool(required)), ("schema", schema)])
    }

    // MARK: Types

    private mutating func describe(_ type: HostedType) -> DocumentValue {
        let contract = type.contract
        var members: [(String, DocumentValue)] = [
            ("description", .string(contract.description)),
            ("arguments", schemas.describe(contract.arguments?.schema ?? .object([]))),
        ]
        members.append(
            (
                "inputs",
                .object(
                    contract.inputs.map { input in
                        (
                            input.name,
                            .object([
                                ("schema", schemas.describe(input.contract.shape.schema ?? .null)),
                                ("description", .string(input.description)),
                            ])
                        )
                    }
                )
            )
        )
        members.append(
            (
                "outputs",
                .object(
                    contract.outputs.map { output in
                        (
                            output.name,
                            .object(
                                [
                                    ("kind", .string(output.contract.kind.rawValue)),
                                    ("schema", schemas.describe(output.contract.shape.schema ?? .null)),
                                    ("description", .string(output.description)),
                                ] + (output.contract.isVolatile ? [("volatile", .bool(true))] : [])
                            )
                        )
                    }
                )
            )
        )
        members.append(
            (
                "actions",
                .object(
                    contract.actions.map { action in
                        (
                            action.name,
                            .object([
                                ("params", schemas.describe(action.contract.parameters.schema ?? .object([]))),
                                ("result", schemas.describe(action.contract.result.schema ?? .null)),
                                ("policy", .string(action.contract.policy.kind.rawValue)),
                                ("description", .string(action.description)),
                                ("errors", .array(action.contract.failures().map { describe($0) })),
                            ])
                        )
                    }
                )
            )
        )
        members.append(("children", .object(type.children.map { ($0.name, .string($0.type.name)) })))
        return .object(members)
    }

    /// Returns the entry of a declared failure in the contract.
    private mutating func describe(_ failure: FailureContract) -> DocumentValue {
        .object([
            ("error", .string(failure.error)),
            ("description", .string(failure.description)),
            ("retryable", .bool(failure.retryable)),
            ("details", failure.details.map { schemas.describe($0) } ?? .null),
        ])
    }
}
