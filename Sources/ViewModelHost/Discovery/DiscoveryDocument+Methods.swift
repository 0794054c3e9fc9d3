import ViewModelContract
import ViewModelKit
import ViewModelProtocol

/// The descriptions of methods and notifications.
extension DiscoveryDocument {
    mutating func describe(_ method: any DescribedMethod.Type) -> JSONValue {
        self.method(
            method.name,
            description: method.summary,
            tags: ["protocol"],
            structure: "by-name",
            params: Self.descriptors(of: schemas.closed(method.paramsSchema.json)),
            result: method.resultSchema.json,
            errors: Self.errors(method.errors)
        )
    }

    func describe(_ notification: any DescribedNotification.Type) -> JSONValue {
        .object([
            "name": .string(notification.name),
            "summary": .string(notification.summary),
            "params": .array(Self.descriptors(of: notification.paramsSchema.json)),
        ])
    }

    mutating func describeMembers(of type: HostedType, at id: String) -> [JSONValue] {
        var methods: [JSONValue] = []
        for input in type.contract.inputs {
            let shape = input.shape
            methods.append(
                method(
                    "\(id).\(input.name)",
                    description: input.description,
                    tags: ["input", type.name],
                    structure: shape.schema?.isObject == true ? "by-name" : "either",
                    params: descriptors(of: shape.schema, Meta.inputSchema),
                    result: InputReply.schema.json,
                    errors: Self.errors([.invalidParams, .sessionEnded])
                )
            )
        }
        for action in type.contract.actions {
            let busy: [ErrorCode] = action.policy.kind == .exclusive ? [.executing] : []
            let parameters = action.parameters
            methods.append(
                method(
                    "\(id).\(action.name)",
                    description: action.description,
                    tags: ["action", type.name],
                    structure: parameters.schema?.isObject == true ? "by-name" : "either",
                    params: descriptors(of: parameters.schema, Meta.actionSchema),
                    result: schemas.sent(action.result.schema ?? .null),
                    errors: Self.errors([.invalidParams]) + failures(of: action)
                        + Self.errors([.disabled] + busy + [.deadlinePassed, .sessionEnded, .cancelled])
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
        tags: [String],
        structure: String,
        params: [JSONValue],
        result: JSONValue,
        errors: [JSONValue]
    ) -> JSONValue {
        let listed = errors.compactMap { $0["code"]?.intValue }
        let common = ErrorCode.common.filter { !listed.contains($0.rawValue) }
        return .object([
            "name": .string(name),
            "summary": .string(Self.summary(of: description, or: name)),
            "description": .string(description),
            "tags": .array(tags.map { .object(["name": .string($0)]) }),
            "paramStructure": .string(structure),
            "params": .array(params),
            "result": .object(["name": .string("result"), "schema": result]),
            "errors": .array(errors + Self.errors(common)),
        ])
    }

    /// Returns the errors for the failures of an action: the declared ones, and one for the others.
    private mutating func failures(of action: ActionContract) -> [JSONValue] {
        action.failures().map { failure in
            let data: JSONObject = [
                "error": .string(failure.error),
                "details": failure.details.map { schemas.sent($0) } ?? .null,
                "retryable": .bool(failure.retryable),
            ]
            let message = failure.description.isEmpty ? ErrorCode.actionFailed.meaning : failure.description
            return Self.error(.actionFailed, message, data: .object(data))
        } + [Self.error(.actionFailed, ErrorCode.actionFailed.meaning)]
    }

    private static func errors(_ codes: [ErrorCode]) -> [JSONValue] {
        codes.map { error($0, $0.meaning) }
    }

    private static func error(_ code: ErrorCode, _ message: String, data: JSONValue? = nil) -> JSONValue {
        var members: JSONObject = ["code": .integer(code.rawValue), "message": .string(message)]
        members["data"] = data
        return .object(members)
    }

    /// Returns the first sentence of a description.
    private static func summary(of description: String, or name: String) -> String {
        guard !description.isEmpty else { return name }
        let paragraph = description.prefix { $0 != "\n" }
        guard let end = paragraph.firstRange(of: ". ") else { return String(paragraph) }
        return String(paragraph[..<end.lowerBound]) + "."
    }

    /// Returns the params by name: the members of an object, else the one member `value`; then the options of the call.
    private mutating func descriptors(of schema: Schema?, _ options: Schema) -> [JSONValue] {
        var descriptors: [JSONValue] = []
        if let schema {
            let whole = params(schema, nil)
            descriptors =
                whole["additionalProperties"] == .bool(false)
                ? Self.descriptors(of: whole)
                : [Self.descriptor("value", schemas.closed(schemas.received(schema)), required: true)]
        }
        return descriptors + [Self.descriptor(Meta.member, schemas.received(options), required: false)]
    }

    /// Returns the members of an object as params: the required ones first, as OpenRPC has it.
    private static func descriptors(of object: JSONValue) -> [JSONValue] {
        let required = object["required"]?.arrayValue ?? []
        let members = (object["properties"]?.objectValue ?? [:]).filter { $0.key != Meta.member }
            .map { name, schema in (name: name, schema: schema, isRequired: required.contains(.string(name))) }
        return (members.filter(\.isRequired) + members.filter { !$0.isRequired })
            .map { descriptor($0.name, $0.schema, required: $0.isRequired) }
    }

    private static func descriptor(_ name: String, _ schema: JSONValue, required: Bool) -> JSONValue {
        .object(["name": .string(name), "required": .bool(required), "schema": schema])
    }
}
